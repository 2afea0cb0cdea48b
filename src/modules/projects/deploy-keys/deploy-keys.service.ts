import { Injectable } from '@nestjs/common';
import { groupBy } from '../../../platform/collections/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { invalidFields, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/pagination/index.js';
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
  UsersRepository,
} from '../../users/index.js';
import {
  DeployKeysRepository,
  type ProjectDeployKey,
  type ReadableProject,
} from './deploy-keys.repository.js';

/** The most keys that one call of `unlinkSomeOf` unlinks. */
const CHUNK = 500;

/** What is to be added. */
interface NewDeployKey {
  readonly title: string;
  readonly key: string;
  /** Whether it may push to the project. */
  readonly canPush?: boolean;
}

/** A deploy key with the projects that it may read. */
interface InstanceDeployKey {
  readonly key: SshKey;
  readonly projects: readonly ReadableProject[];
}

/**
 * Deploy keys: SSH keys of projects instead of users. They read, and push where an account has let them, in its name
 * (docs/decisions/0073-deploy-keys-that-push.md).
 */
@Injectable()
export class DeployKeysService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly deployKeys: DeployKeysRepository,
    private readonly sshKeys: SshKeysRepository,
    private readonly users: UsersRepository,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  /** Lists the deploy keys of all projects. */
  listAll(request: PageRequest): Promise<Page<SshKey>> {
    return this.deployKeys.pageOfAll(request);
  }

  /** Lists the deploy keys of all projects, each with up to 100 projects that it pushes to and 100 that it only reads. */
  async listAllWithProjects(request: PageRequest): Promise<Page<InstanceDeployKey>> {
    const page = await this.listAll(request);
    const projects = await this.deployKeys.projectsOf(page.items.map(({ id }) => id));
    const byKey = groupBy(projects, ({ keyId }) => keyId);
    return mapPage(page, (key) => ({ key, projects: byKey.get(key.id) ?? [] }));
  }

  list(projectId: number, request: PageRequest): Promise<Page<ProjectDeployKey>> {
    return this.deployKeys.page(projectId, request);
  }

  /** @throws DomainError not found */
  async read(projectId: number, id: number): Promise<ProjectDeployKey> {
    const found = await this.deployKeys.find(projectId, id);
    if (found === null) throw notFound('deploy-key');
    return found;
  }

  /**
   * Gives a key access to a project: a new key, or the existing deploy key with the same bytes, title
   * unchanged, if the caller may list it. A key that the project has already stays as it is.
   * @throws DomainError not found (the project is deleted), invalid fields
   */
  async add(
    caller: User,
    projectId: number,
    { title, key, canPush = false }: NewDeployKey,
  ): Promise<ProjectDeployKey> {
    const draft = validateSshKey(title, key);
    if ('problems' in draft) throw invalidFields(draft.problems);
    return this.work.run(async () => {
      await this.holdCaller(caller);
      await this.holdProject(projectId);
      const present = await this.holdUsable(caller, draft);
      const added = present === null ? await this.sshKeys.insert({ userId: null, ...draft }) : null;
      // Looks again after a concurrent insert of the same fingerprint.
      const linked = present ?? added ?? (await this.holdUsable(caller, draft));
      if (linked === null) throw fingerprintTaken();
      await this.link(caller, projectId, linked, canPush);
      if (added !== null) await this.events.publish(new SshKeysChanged([added], 'added'));
      return this.read(projectId, linked.id);
    });
  }

  /**
   * Gives a deploy key that the caller may list access to a project, to read; no-op if linked.
   * @throws DomainError not found
   */
  enable(caller: User, projectId: number, id: number): Promise<ProjectDeployKey> {
    return this.work.run(async () => {
      await this.holdProject(projectId);
      const key = await this.deployKeys.hold(id);
      if (key === null || !(await this.deployKeys.isVisible(id, caller))) {
        throw notFound('deploy-key');
      }
      await this.link(caller, projectId, key, false);
      return this.read(projectId, id);
    });
  }

  /**
   * Changes whether a key may push to a project, in the name of the caller who lets it, and its title. The title of a key that other projects have, too, is changed by
   * administrators only, and is left as it is for others.
   * @throws DomainError not found, invalid fields
   */
  update(
    caller: User,
    projectId: number,
    id: number,
    changes: { readonly title?: string | undefined; readonly canPush?: boolean | undefined },
  ): Promise<ProjectDeployKey> {
    const { title, canPush } = changes;
    return this.work.run(async () => {
      await this.holdCaller(caller);
      // Locks no key of other projects.
      await this.read(projectId, id);
      await this.deployKeys.lock([id]);
      const found = await this.read(projectId, id);
      if (title !== undefined) await this.retitle(caller, found, title);
      if (canPush !== undefined) await this.setCanPush(caller, found, canPush);
      return this.read(projectId, id);
    });
  }

  /**
   * Unlinks a key from a project, and deletes a key without remaining links.
   * @returns the key as it was
   * @throws DomainError not found: the project has no such key
   */
  async disable(projectId: number, id: number): Promise<SshKey> {
    return this.work.run(async () => {
      const { key } = await this.read(projectId, id);
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

  /** Finds the account in whose name a deploy key pushes to a project; null if the key may not push to it. */
  findPusher(id: number, projectId: number): Promise<number | null> {
    return this.deployKeys.findPusher(id, projectId);
  }

  /** Whether a deploy key gives access to any project. */
  opensAny(id: number): Promise<boolean> {
    return this.deployKeys.opens(id, null);
  }

  /**
   * Finds the deploy key with the bytes of a new one, and locks it against deletion; null if there is none.
   * @throws DomainError invalid fields: it is the key of an account, or one that the caller may not list
   */
  private async holdUsable(caller: User, draft: ValidSshKey): Promise<SshKey | null> {
    const present = await this.deployKeys.holdByFingerprint(draft.fingerprint);
    if (present === null) return null;
    const isSame = present.userId === null && isSameKey(present.key, draft.key);
    if (!isSame || !(await this.deployKeys.isVisible(present.id, caller))) throw fingerprintTaken();
    return present;
  }

  private async link(
    caller: User,
    projectId: number,
    key: SshKey,
    canPush: boolean,
  ): Promise<void> {
    if (!(await this.deployKeys.link(projectId, key.id, canPush ? caller.id : null))) return;
    const record = onKey(projectId, key);
    const details = { ...record.details, can_push: canPush };
    await this.audit.record({ action: 'deploy_key.added', ...record, details });
  }

  /** @throws DomainError invalid fields */
  private async retitle(
    caller: User,
    { projectId, key }: ProjectDeployKey,
    title: string,
  ): Promise<void> {
    const valid = validateSshKey(title, key.key);
    if ('problems' in valid) throw invalidFields(valid.problems);
    const isShared = await this.deployKeys.isLinkedElsewhere(projectId, key.id);
    if (title === key.title || (!caller.admin && isShared)) return;
    await this.deployKeys.setTitle(key.id, title);
    const record = onKey(projectId, { ...key, title });
    const details = { ...record.details, old_title: key.title };
    await this.audit.record({ action: 'deploy_key.updated', ...record, details });
  }

  private async setCanPush(
    caller: User,
    { projectId, key, pusherId }: ProjectDeployKey,
    to: boolean,
  ): Promise<void> {
    if ((pusherId !== null) === to) return;
    await this.deployKeys.setPusher(projectId, key.id, to ? caller.id : null);
    const record = onKey(projectId, key);
    const details = { ...record.details, can_push: to };
    await this.audit.record({ action: 'deploy_key.updated', ...record, details });
  }

  /** Locks the account that a key may push as before everything else (global lock order). */
  private async holdCaller({ id }: User): Promise<void> {
    if ((await this.users.hold(id)) === null) throw notFound('user');
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
