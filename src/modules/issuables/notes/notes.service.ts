import { Injectable } from '@nestjs/common';
import { recordNotFound } from '../../../platform/errors/index.js';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import type { OwnedAwardable } from '../awards/awards.service.js';
import type { Issuable } from '../issuable.js';
import type { Note } from './note.entity.js';
import { NoteOrigins } from './note-origins.js';
import { NotesRepository } from './notes.repository.js';

export interface AuthoredNote {
  note: Note;
  /** The ghost in the place of a deleted account. */
  author: User;
}

/** Reads notes on issues and merge requests, for those who may read these (open points 3.2). */
@Injectable()
export class NotesService {
  constructor(
    private readonly notes: NotesRepository,
    private readonly origins: NoteOrigins,
    private readonly users: UsersRepository,
  ) {}

  /**
   * The oldest first. Notes on mentions that the reader may not know of are left out: a page may hold
   * fewer than it is asked for.
   */
  async list(target: Issuable, reader: User, request: PageRequest): Promise<Page<AuthoredNote>> {
    const { items, total, page, perPage, hasNext } = await this.notes.page(target, request);
    const shown = await this.authored(await this.origins.readable(items, reader));
    return new Page(shown, total, page, perPage, hasNext);
  }

  /** @throws DomainError record not found */
  async read(target: Issuable, reader: User, id: number): Promise<AuthoredNote> {
    const note = await this.notes.findIn(target, id);
    const [shown] = note === null ? [] : await this.origins.readable([note], reader);
    const [authored] = shown === undefined ? [] : await this.authored([shown]);
    if (authored === undefined) throw recordNotFound();
    return authored;
  }

  /** A note as what emoji are awarded to. @throws DomainError record not found */
  async awardable(target: Issuable, reader: User, id: number): Promise<OwnedAwardable> {
    const { note } = await this.read(target, reader, id);
    return { type: 'Note', id: note.id, projectId: note.projectId, authorId: note.authorId };
  }

  private async authored(notes: readonly Note[]): Promise<AuthoredNote[]> {
    const authors = await this.users.findAuthors(notes.map(({ authorId }) => authorId));
    return notes.map((note) => ({ note, author: authorOf(authors, note.authorId) }));
  }
}
