import { Injectable } from '@nestjs/common';
import { recordNotFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ActivityLog, DomainEvents } from '../../activity/index.js';
import type { User } from '../../users/index.js';
import type { Issuable } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { TextEffects } from '../references/text-effects.js';
import { Todos } from '../todos/todos.js';
import type { Note } from './note.entity.js';
import { NoteWritten } from './note.events.js';
import { noteTarget } from './note.rules.js';

/** What a note does to others, in the unit of work that writes it. */
@Injectable()
export class NoteOutcome {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly todos: Todos,
    private readonly texts: TextEffects,
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /**
   * The author acts on the target: it changes, and is done on their list
   * (docs/reference/todos.md#when-todos-are-done).
   * @throws DomainError record not found for a target that is deleted meanwhile
   */
  async begin({ type, id }: Issuable, author: User): Promise<void> {
    if (!(await this.kinds.of(type).touch(id))) throw recordNotFound();
    await this.todos.finish({ type, id }, author.id);
  }

  /** Comes last, because it locks the project. */
  async written(project: ProjectRef, target: Issuable, actor: User, note: Note): Promise<void> {
    await this.texts.run({ target, project, actor, texts: [note.body], note: { id: note.id } });
    const { type, id, projectId } = target;
    await this.events.publish(new NoteWritten(projectId, note.id, { type, id }, actor.id));
    const activity = { projectId, authorId: actor.id, action: 'commented on' } as const;
    await this.log.record([{ ...activity, target: { type: noteTarget(type), id: note.id } }]);
  }

  async rewritten(
    project: ProjectRef,
    target: Issuable,
    actor: User,
    { note, was }: { note: Note; was: string },
  ): Promise<void> {
    await this.texts.run({
      ...{ target, project, actor, texts: [note.body], before: [was] },
      note: { id: note.id },
    });
  }
}
