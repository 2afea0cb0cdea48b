import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notModified, recordNotFound } from '../../../platform/errors/index.js';
import { OnDomainEvent } from '../../../platform/events/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  AccessEnded,
  ProjectAccessRepository,
  type ProjectRef,
} from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable } from '../model/issuable.js';
import type { Todo } from './todo.entity.js';
import {
  type ListedTodo,
  type TodoFilter,
  type TodoReason,
  TodosRepository,
} from './todos.repository.js';

/** Creates, lists and finishes todos (docs/reference/todos.md#rules). */
@Injectable()
export class TodosService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly todos: TodosRepository,
    private readonly kinds: IssuableKinds,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /** Lists the todos of a user, the newest first. */
  list(user: User, filter: TodoFilter, request: PageRequest): Promise<Page<ListedTodo>> {
    return this.todos.findPage(user, filter, request);
  }

  /** Marks a todo of the user as done. @throws DomainError record not found */
  async finishOne(user: User, id: number): Promise<Todo> {
    const todo = await this.todos.finishOne(user, id);
    if (todo === null) throw recordNotFound('todo');
    return todo;
  }

  /** Marks the pending todos of the user that match the filter as done. @returns their number */
  finishAll(user: User, filter: TodoFilter): Promise<number> {
    return this.todos.finishAll(user, filter);
  }

  /** Creates a todo that the user asks for. @throws DomainError not modified if one for the target is pending */
  async mark(target: Issuable, user: Pick<User, 'id'>): Promise<Todo> {
    const todo = await this.work.run(async () => {
      const reason = { action: 'marked', authorId: user.id } as const;
      const [id] = await this.todos.insertUnlessPending(target, [user.id], reason);
      if (id === undefined) return null;
      await this.kinds.of(target.type).touch(target.id);
      return this.todos.findById(id);
    });
    if (todo === null) throw notModified();
    return todo;
  }

  /**
   * Creates a todo for each of the users who may read the target and has none pending for it, in the caller's unit of
   * work. Todos of the actor are to be finished first.
   */
  async raise(target: Issuable, userIds: readonly number[], reason: TodoReason): Promise<void> {
    if (userIds.length === 0) return;
    const found = await this.projects.find(null, { id: target.projectId });
    if (found === null) return;
    await this.raiseIn(found.project, target, userIds, reason);
  }

  /** As `raise`, with the target's project. @returns the users who may read the target */
  async raiseIn(
    project: ProjectRef,
    target: Issuable,
    userIds: readonly number[],
    reason: TodoReason,
  ): Promise<number[]> {
    const readers = await this.filterReaders(target, project, userIds);
    if (readers.length > 0) await this.todos.insertUnlessPending(target, readers, reason);
    return readers;
  }

  /**
   * Finds when reviews of a merge request were requested, by the ID of the reviewer. Users who may not read it, or had another
   * todo for it pending, have none.
   */
  findReviewRequests(
    { id }: Pick<Issuable, 'id'>,
    reviewerIds: readonly number[],
  ): Promise<ReadonlyMap<number, Date>> {
    return this.todos.findTimes({ type: 'MergeRequest', id }, reviewerIds, 'review_requested');
  }

  /** Marks a user's pending todo for the target as done, in the caller's unit of work. @returns whether there was one */
  finish(target: Pick<Issuable, 'type' | 'id'>, userId: number): Promise<boolean> {
    return this.todos.finish(target, userId);
  }

  /** Removes the todos that users can no longer see (docs/reference/todos.md#when-todos-are-done). */
  @OnDomainEvent(AccessEnded)
  async removeLost({ scope, userIds }: AccessEnded): Promise<void> {
    await this.todos.removeLost(scope, userIds);
  }

  /** Returns the users who may read the target, with one statement; without blocked and deleted accounts. */
  private async filterReaders(
    target: Issuable,
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<number[]> {
    const ids = [...new Set(userIds)];
    if (ids.length === 0) return [];
    const kind = this.kinds.of(target.type);
    const accesses = await this.projects.findReaders(project, ids);
    return [...accesses]
      .filter(([, access]) => kind.allowsReading(target, access, access.subject))
      .map(([id]) => id);
  }
}
