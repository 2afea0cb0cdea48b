import { Injectable } from '@nestjs/common';
import { ProjectAccessRepository, type ProjectRef } from '../../access/index.js';
import type { User } from '../../users/index.js';
import type { Issuable } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { Readers } from '../readers.js';
import type { Todo } from './todo.entity.js';
import { type TodoReason, TodosRepository } from './todos.repository.js';

/**
 * Creates and finishes todos (docs/reference/todos.md#rules). Everything joins the caller's unit of
 * work.
 */
@Injectable()
export class Todos {
  constructor(
    private readonly todos: TodosRepository,
    private readonly kinds: IssuableKinds,
    private readonly readers: Readers,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /**
   * Raises a todo for each of the users who may read the target and has none pending for it. Those of
   * the actor are to be finished first.
   */
  async raise(target: Issuable, userIds: readonly number[], reason: TodoReason): Promise<void> {
    if (userIds.length === 0) return;
    const found = await this.projects.find(null, { id: target.projectId });
    if (found === null) return;
    await this.raiseIn(found.project, target, userIds, reason);
  }

  /** As `raise`, where the target's project is known already. */
  async raiseIn(
    project: ProjectRef,
    target: Issuable,
    userIds: readonly number[],
    reason: TodoReason,
  ): Promise<void> {
    const readers = await this.readers.among(target, project, userIds);
    if (readers.length > 0) await this.todos.insertUnlessPending(target, readers, reason);
  }

  /** Makes a user's pending todo for the target done, because they acted on it. */
  finish(target: Pick<Issuable, 'type' | 'id'>, userId: number): Promise<void> {
    return this.todos.finish(target, userId);
  }

  /** Puts the target on the list of a user who may read it; null when it waits for them already. */
  async mark(target: Issuable, user: Pick<User, 'id'>): Promise<Todo | null> {
    const reason = { action: 'marked', authorId: user.id } as const;
    const [id] = await this.todos.insertUnlessPending(target, [user.id], reason);
    if (id === undefined) return null;
    await this.kinds.of(target.type).touch(target.id);
    return this.todos.findById(id);
  }

  /** Removes all todos for a target that is deleted. */
  removeOf(target: Pick<Issuable, 'type' | 'id'>): Promise<void> {
    return this.todos.removeOf(target);
  }
}
