import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { invalidFields, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import { AuditLog, type AuditRecord } from '../../audit/index.js';
import {
  validateSshKey,
  fingerprintTaken,
  isSameKey,
  type ValidSshKey,
  type SshKey,
  SshKeysChanged,
  SshKeysRepository,
  type User,
} from '../../users/index.js';
import { DeployKeysRepository } from './deploy-keys.repository.js';

/** The most keys that one call of `unlinkSomeOf` unlinks. */
const CHUNK = 500;

/** Deploy keys: SSH keys of projects instead of users, which only read. */
@Injectable()
export class DeployKeysService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly deployKeys: DeployKeysRepository,
    private readonly sshKeys: SshKeysRepository,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  /** Lists the deploy keys of all projects. */
  listAll(request: PageRequest): Promise<Page<SshKey>> {
    return this.deployKeys.pageOfAll(request);
  }

  list(projectId: number, request: PageRequest): Promise<Page<SshKey>> {
    return this.deployKeys.page(projectId, request);
  }

  /** @throws DomainError not found */
  async read(projectId: number, id: number): Promise<SshKey> {
    const key = await this.deployKeys.find(projectId, id);
    if (key === null) throw notFound('deploy-key');
    return key;
  }

  /**
   * Gives a key access to a project: a new key, or the existing deploy key with the same bytes, title
   * unchanged, if the caller may list it.
   * @throws DomainError not found (the project is deleted), invalid fields
   */
  async add(
    caller: User,
    projectId: number,
    input: { title: string; key: string },
  ): Promise<SshKey> {
    const draft = validateSshKey(input.title, input.key);
    if ('problems' in draft) throw invalidFields(draft.problems);
    return this.work.run(async () => {
      await this.holdProject(projectId);
      const { fingerprint } = draft;
      const present = await this.deployKeys.holdByFingerprint(fingerprint);
      if (present !== null) return this.linkPresent(caller, projectId, present, draft);
      const added = await this.sshKeys.insert({ userId: null, ...draft });
      if (added !== null) {
        await this.link(projectId, added);
        await this.events.publish(new SshKeysChanged([added], 'added'));
        return added;
      }
      // Retries after a concurrent insert of the same fingerprint.
      const concurrent = await this.deployKeys.holdByFingerprint(fingerprint);
      if (concurrent === null) throw fingerprintTaken();
      return this.linkPresent(caller, projectId, concurrent, draft);
    });
  }

  /**
   * Gives a deploy key that the caller may list access to a project; no-op if linked.
   * @throws DomainError not found
   */
  enable(caller: User, projectId: number, id: number): Promise<SshKey> {
    return this.work.run(async () => {
      await this.holdProject(projectId);
      const key = await this.deployKeys.hold(id);
      if (key === null || !(await this.deployKeys.isVisible(id, caller))) {
        throw notFound('deploy-key');
      }
      await this.link(projectId, key);
      return key;
    });
  }

  /**
   * Unlinks a key from a project, and deletes a key without remaining links.
   * @returns the key as it was
   * @throws DomainError not found: the project has no such key
   */
  async disable(projectId: number, id: number): Promise<SshKey> {
    return this.work.run(async () => {
      const key = await this.read(projectId, id);
      if (!(await this.unlink([projectId], [id]))) throw notFound('deploy-key');
      await this.audit.record({ action: 'deploy_key.removed', ...onKey(projectId, key) });
      return key;
    });
  }

  /**
   * Unlinks up to 500 keys of deleted projects in the caller's unit of work.
   * @returns whether there may be more
   */
  async unlinkSomeOf(projectIds: readonly number[]): Promise<boolean> {
    const keyIds = await this.deployKeys.someOf(projectIds, CHUNK);
    if (keyIds.length > 0) await this.unlink(projectIds, keyIds);
    return keyIds.length === CHUNK;
  }

  /** Whether a deploy key gives access to a project. */
  opens(id: number, projectId: number): Promise<boolean> {
    return this.deployKeys.opens(id, projectId);
  }

  /** Whether a deploy key gives access to any project. */
  opensAny(id: number): Promise<boolean> {
    return this.deployKeys.opens(id, null);
  }

  private async linkPresent(
    caller: User,
    projectId: number,
    present: SshKey,
    draft: ValidSshKey,
  ): Promise<SshKey> {
    const isSame = present.userId === null && isSameKey(present.key, draft.key);
    if (!isSame || !(await this.deployKeys.isVisible(present.id, caller))) throw fingerprintTaken();
    await this.link(projectId, present);
    return present;
  }

  private async link(projectId: number, key: SshKey): Promise<void> {
    if (!(await this.deployKeys.link(projectId, key.id))) return;
    await this.audit.record({ action: 'deploy_key.added', ...onKey(projectId, key) });
  }

  /** Locks the project before the key (global lock order). */
  private async holdProject(id: number): Promise<void> {
    if (!(await this.deployKeys.holdProject(id))) throw notFound('project');
  }

  /**
   * Unlinks keys, and deletes those without remaining links. Locks the keys first: a concurrent link is either
   * committed, and the key stays, or finds no key.
   * @returns whether there were such links
   */
  private async unlink(projectIds: readonly number[], keyIds: readonly number[]): Promise<boolean> {
    const locked = await this.deployKeys.lock(keyIds);
    const isUnlinked = await this.deployKeys.unlink(projectIds, locked);
    const removed = await this.deployKeys.removeUnlinked(locked);
    if (removed.length > 0) await this.events.publish(new SshKeysChanged(removed, 'removed'));
    return isUnlinked;
  }
}

const onKey = (
  projectId: number,
  { id, title, fingerprint }: SshKey,
): Pick<AuditRecord, 'target' | 'projectId' | 'details'> => ({
  target: { type: 'deploy_key', id, name: title },
  projectId,
  details: { fingerprint },
});
