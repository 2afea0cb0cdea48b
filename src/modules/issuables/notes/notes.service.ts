import { Injectable } from '@nestjs/common';
import { recordNotFound } from '../../../platform/errors/index.js';
import { describeInParts, type Page, type PageRequest } from '../../../platform/http/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import type { OwnedAwardable } from '../awards/awards.service.js';
import type { Issuable } from '../issuable.js';
import { HiddenReferences } from '../references/hidden-references.js';
import { hideReferences } from '../references/moved-references.js';
import type { Note } from './note.entity.js';
import { NoteOrigins } from './note-origins.js';
import { NotesRepository } from './notes.repository.js';

export interface AuthoredNote {
  note: Note;
  /** The ghost in the place of a deleted account. */
  author: User;
}

/**
 * Reads notes on issues and merge requests, for those who may read these
 * (docs/reference/notes.md#endpoints).
 */
@Injectable()
export class NotesService {
  constructor(
    private readonly notes: NotesRepository,
    private readonly origins: NoteOrigins,
    private readonly hidden: HiddenReferences,
    private readonly users: UsersRepository,
  ) {}

  /**
   * The oldest first. Notes on mentions that the reader may not know of are left out: a page may hold
   * fewer than it is asked for.
   */
  async list(target: Issuable, reader: User, request: PageRequest): Promise<Page<AuthoredNote>> {
    return describeInParts(
      await this.notes.page(target, request),
      ({ textBytes }) => textBytes,
      async (rows) => {
        const notes = await this.notes.findByIds(rows.map(({ id }) => id));
        return this.authored(await this.origins.readable(notes, reader), reader);
      },
    );
  }

  /** @throws DomainError record not found */
  async read(target: Issuable, reader: User, id: number): Promise<AuthoredNote> {
    return this.show(await this.find(target, reader, id), reader);
  }

  /** A note as it is stored, for a reader who may read it. @throws DomainError record not found */
  async find(target: Issuable, reader: User, id: number): Promise<Note> {
    const note = await this.notes.findIn(target, id);
    const [found] = note === null ? [] : await this.origins.readable([note], reader);
    if (found === undefined) throw recordNotFound();
    return found;
  }

  /** A note as a reader sees it. */
  async show(note: Note, reader: User): Promise<AuthoredNote> {
    const [authored] = await this.authored([note], reader);
    if (authored === undefined) throw recordNotFound();
    return authored;
  }

  /** A note as what emoji are awarded to. @throws DomainError record not found */
  async awardable(target: Issuable, reader: User, id: number): Promise<OwnedAwardable> {
    const { note } = await this.read(target, reader, id);
    return { type: 'Note', id: note.id, projectId: note.projectId, authorId: note.authorId };
  }

  private async authored(notes: readonly Note[], reader: User): Promise<AuthoredNote[]> {
    const hides = await this.hidden.from(notes, reader);
    const authors = await this.users.findAuthors(notes.map(({ authorId }) => authorId));
    return notes.map((note) => {
      const body = hideReferences({ text: note.body, moved: note.movedReferences }, hides);
      return { note: { ...note, body }, author: authorOf(authors, note.authorId) };
    });
  }
}
