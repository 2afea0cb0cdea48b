import { Injectable } from '@nestjs/common';
import { recordNotFound } from '../../../platform/errors/index.js';
import type { User } from '../../users/index.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { NotesRepository } from '../notes/notes.repository.js';
import { Todos } from '../todos/todos.js';
import type { Awardable } from './awards.repository.js';

/** What an award does to its target, in the unit of work that makes it. */
@Injectable()
export class AwardOutcome {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly notes: NotesRepository,
    private readonly todos: Todos,
  ) {}

  /**
   * An issue or merge request changes, and is done on the user's list; a note is left as it is.
   * @throws DomainError record not found for what is deleted meanwhile
   */
  async awarded({ type, id }: Awardable, user: User): Promise<void> {
    const isThere = await (type === 'Note' ? this.notes.hold(id) : this.kinds.of(type).touch(id));
    if (!isThere) throw recordNotFound();
    if (type !== 'Note') await this.todos.finish({ type, id }, user.id);
  }
}
