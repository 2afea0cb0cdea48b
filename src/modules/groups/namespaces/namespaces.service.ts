import { Injectable } from '@nestjs/common';
import { DomainEvents, OnDomainEvent } from '../../../platform/events/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import { AccessEnded, type Account } from '../../authorization/index.js';
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
   * Deletes a namespace, in the caller's unit of work: hides it with all its projects at once, and leaves
   * the removal of the projects and then of its row to jobs.
   * @returns the namespace as it was, null when it is deleted already
   */
  async delete(id: number): Promise<Namespace | null> {
    const namespace = await this.namespaces.lock(id);
    if (namespace === null) return null;
    const projectIds = await this.namespaces.markDeleted(id);
    await this.events.publish(new NamespaceDeleted(id));
    if (projectIds.length > 0) await this.events.publish(new AccessEnded({ projectIds }, null));
    await this.outbox.add(removeNamespace.with({ namespaceId: id }));
    return namespace;
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
