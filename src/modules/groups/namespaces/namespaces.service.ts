import { Injectable } from '@nestjs/common';
import { assertUnmodified } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/errors/index.js';
import { DomainEvents, OnDomainEvent } from '../../../platform/events/index.js';
import { reference } from '../../../platform/http/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import {
  AccessEnded,
  type Account,
  canSeeGroup,
  GroupAccessRepository,
} from '../../authorization/index.js';
import { UserCreated, UserDeleted, UserRenamed } from '../../users/index.js';
import { NamespaceDeleted } from '../group.events.js';
import type { Namespace } from './namespace.entity.js';
import { NamespacesRepository } from './namespaces.repository.js';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10 * 60_000;

interface RemoveNamespacePayload {
  namespaceId: number;
}

/** Removes the row of a deleted namespace. */
const removeNamespace = defineJob<RemoveNamespacePayload>('groups', 'remove-namespace', {
  // Waits for the jobs that remove the projects: about a week at the longest interval.
  attempts: 1_000,
});

/**
 * Namespaces of projects: groups and the personal namespaces of users. A personal namespace is created,
 * renamed and deleted in the transaction that does so with the account.
 */
@Injectable()
@HandlesJob(removeNamespace)
export class NamespacesService implements JobHandler<RemoveNamespacePayload> {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly groups: GroupAccessRepository,
    private readonly outbox: Outbox,
    private readonly events: DomainEvents,
  ) {}

  /** Lists the caller's personal namespace and groups, for administrators every namespace. */
  list(
    caller: Account,
    search: string | undefined,
    request: PageRequest,
  ): Promise<Page<Namespace>> {
    return this.namespaces.list(caller, search, request);
  }

  /**
   * Reads a namespace by ID or path: the caller's own, or a group that the caller may see; for administrators any.
   * @throws DomainError not found
   */
  async read(caller: Account, text: string): Promise<Namespace> {
    const named = reference(text);
    const namespace =
      named.by === 'id'
        ? await this.namespaces.findById(named.id)
        : await this.namespaces.findByPath(named.path);
    if (namespace === null || !(await this.isShown(namespace, caller))) throw notFound('namespace');
    return namespace;
  }

  /** Whether a path is taken, in any case, and one like it that is not. */
  async findTaken(path: string): Promise<{ isTaken: boolean; free: string | null }> {
    if ((await this.namespaces.findByPath(path)) === null) return { isTaken: false, free: null };
    return { isTaken: true, free: await this.namespaces.findFreePath(path) };
  }

  /**
   * Deletes a namespace, in the caller's unit of work: hides it with all its projects at once, and leaves
   * the removal of the projects and then of its row to jobs.
   * @returns the namespace as it was, null when it is deleted already
   */
  async delete(id: number): Promise<Namespace | null> {
    const namespace = await this.namespaces.lock(id);
    if (namespace === null) return null;
    assertUnmodified(namespace.updatedAt);
    const projectIds = await this.namespaces.markDeleted(id);
    await this.events.publish(new NamespaceDeleted(id));
    if (projectIds.length > 0) await this.events.publish(new AccessEnded({ projectIds }, null));
    await this.outbox.add(removeNamespace.with({ namespaceId: id }));
    return namespace;
  }

  private async isShown({ id, ownerId }: Namespace, caller: Account): Promise<boolean> {
    if (caller.admin || ownerId !== null) return caller.admin || ownerId === caller.id;
    const access = await this.groups.find(caller, { by: 'id', id });
    return access !== null && canSeeGroup(access);
  }

  /** Removes the row of a deleted namespace; last, because the jobs that remove its projects refer to it. */
  async handle({ namespaceId }: RemoveNamespacePayload, { attempt }: JobContext): Promise<void> {
    if (await this.namespaces.remove(namespaceId)) return;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
    throw new RetryJobLaterError('The namespace still holds projects', delayMs);
  }

  @OnDomainEvent(UserCreated)
  createPersonal({ user }: UserCreated): Promise<void> {
    return this.namespaces.insertPersonal(user.id, user.username);
  }

  @OnDomainEvent(UserRenamed)
  renamePersonal({ userId, username }: UserRenamed): Promise<void> {
    return this.namespaces.renamePersonal(userId, username);
  }

  @OnDomainEvent(UserDeleted)
  async deletePersonal({ userId }: UserDeleted): Promise<void> {
    await this.namespaces.removeFromGroups(userId);
    const namespace = await this.namespaces.findPersonal(userId);
    if (namespace !== null) await this.delete(namespace.id);
  }
}
