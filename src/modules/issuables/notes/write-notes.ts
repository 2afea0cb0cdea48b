import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, recordNotFound } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess } from '../../access/index.js';
import type { User } from '../../users/index.js';
import type { Issuable } from '../issuable.js';
import { HiddenReferences } from '../references/hidden-references.js';
import { followEdit } from '../references/moved-references.js';
import { LONGEST_TEXT } from '../text.rules.js';
import type { Note } from './note.entity.js';
import { checkBody, noteTarget } from './note.rules.js';
import { NoteOutcome } from './note-outcome.js';
import { NotesRepository } from './notes.repository.js';
import { type AuthoredNote, NotesService } from './notes.service.js';

export interface NoteInput {
  body: string;
  /** Heeded for those who may set times. */
  createdAt?: Date | undefined;
}

/** Writes notes on issues and merge requests; the caller may read what they are on. */
@Injectable()
export class WriteNotes {
  constructor(
    private readonly work: UnitOfWork,
    private readonly notes: NotesRepository,
    private readonly reading: NotesService,
    private readonly hidden: HiddenReferences,
    private readonly outcome: NoteOutcome,
  ) {}

  /** @throws DomainError for a body that is blank or too long */
  async create(
    access: ProjectAccess,
    target: Issuable,
    author: User,
    { body, createdAt }: NoteInput,
  ): Promise<AuthoredNote> {
    checkBody(body);
    const at = allows(access, 'issue:set-times') ? createdAt : undefined;
    const note = await this.work.run(async () => {
      await this.outcome.begin(target, author);
      const made = await this.notes.insert(target, { authorId: author.id, body, createdAt: at });
      await this.outcome.written(access.project, target, author, made);
      return made;
    });
    return { note, author };
  }

  /**
   * Gives a note another text; those of the service stay as they are.
   * @throws DomainError record not found; forbidden for others than its author and masters
   */
  async update(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    { id, body }: { id: number; body: string },
  ): Promise<AuthoredNote> {
    const note = await this.editable(access, target, caller, id);
    checkBody(body);
    const before = { text: note.body, moved: note.movedReferences };
    const hides = await this.hidden.from([note], caller);
    const after = followEdit(before, hides, body, LONGEST_TEXT);
    if (note.system || note.body === after.text) return this.reading.show(note, caller);
    return this.work.run(async () => {
      const changed = await this.notes.rewrite(id, after);
      if (changed === null) throw recordNotFound();
      await this.outcome.rewritten(access.project, target, caller, {
        note: changed,
        was: note.body,
      });
      return this.reading.show(changed, caller);
    });
  }

  /**
   * @returns the note as it was
   * @throws DomainError record not found; forbidden for others than its author and masters
   */
  async remove(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    id: number,
  ): Promise<AuthoredNote> {
    const note = await this.editable(access, target, caller, id);
    const authored = await this.reading.show(note, caller);
    const isGone = await this.work.run(() => this.notes.remove(id, noteTarget(target.type)));
    if (!isGone) throw recordNotFound();
    return authored;
  }

  private async editable(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    id: number,
  ): Promise<Note> {
    const note = await this.reading.find(target, caller, id);
    const isTheirs = note.authorId === caller.id;
    if (!isTheirs && !allows(access, 'note:edit-any')) throw forbidden();
    return note;
  }
}
