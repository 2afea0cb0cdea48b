import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import { invalidRecord, notFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/http/index.js';
import { DomainEvents } from '../../activity/index.js';
import {
  draftKey,
  isSameKey,
  type SoundKey,
  type SshKey,
  SshKeysChanged,
  SshKeysRepository,
  type User,
} from '../../users/index.js';
import { DeployKeysRepository } from './deploy-keys.repository.js';
import { UnlinkDeployKeys } from './unlink-deploy-keys.js';

/** A key that is registered at the same moment is found by the next attempt. */
const MAX_ATTEMPTS = 3;

/** SSH keys that belong to projects rather than to accounts, and only read. */
@Injectable()
export class DeployKeysService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly deployKeys: DeployKeysRepository,
    private readonly sshKeys: SshKeysRepository,
    private readonly unlinking: UnlinkDeployKeys,
    private readonly events: DomainEvents,
  ) {}

  /** Those of all projects. */
  listAll(request: PageRequest): Promise<Page<SshKey>> {
    return this.deployKeys.pageOfAll(request);
  }

  list(projectId: number, request: PageRequest): Promise<Page<SshKey>> {
    return this.deployKeys.page(projectId, request);
  }

  /** @throws DomainError not found */
  async read(projectId: number, id: number): Promise<SshKey> {
    const key = await this.deployKeys.find(projectId, id);
    if (key === null) throw notFound('Deploy Key');
    return key;
  }

  /**
   * Gives a key access to a project: a new one, or the deploy key with the same bytes where the caller
   * can list it, with the title that it has.
   * @throws DomainError not found (the project is deleted), invalid record
   */
  async add(
    caller: User,
    projectId: number,
    input: { title: string; key: string },
  ): Promise<SshKey> {
    const draft = draftKey(input.title, input.key);
    if ('errors' in draft) throw invalidRecord(draft.errors);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.work.run(() => this.linkOrInsert(caller, projectId, draft));
      } catch (error) {
        if (violatedUnique(error) !== 'ssh_keys_fingerprint_key') throw error;
        if (attempt === MAX_ATTEMPTS) throw taken();
      }
    }
  }

  /**
   * Gives a deploy key that the caller can list access to a project; it may have it already.
   * @throws DomainError not found
   */
  enable(caller: User, projectId: number, id: number): Promise<SshKey> {
    return this.work.run(async () => {
      await this.holdProject(projectId);
      const key = await this.deployKeys.hold(id);
      if (key === null || !(await this.deployKeys.isVisible(id, caller))) {
        throw notFound('Deploy Key');
      }
      await this.deployKeys.link(projectId, id);
      return key;
    });
  }

  /**
   * Takes a key's access to a project away, and removes the key with its last project.
   * @returns the key as it was
   * @throws DomainError not found: the project has no such key
   */
  async disable(projectId: number, id: number): Promise<SshKey> {
    return this.work.run(async () => {
      const key = await this.read(projectId, id);
      if (!(await this.unlinking.unlinkOne(projectId, id))) throw notFound('Deploy Key');
      return key;
    });
  }

  /** Whether a deploy key gives access to a project. */
  opens(id: number, projectId: number): Promise<boolean> {
    return this.deployKeys.opens(id, projectId);
  }

  /** Whether a deploy key gives access to any project. */
  opensAny(id: number): Promise<boolean> {
    return this.deployKeys.opens(id, null);
  }

  private async linkOrInsert(caller: User, projectId: number, draft: SoundKey): Promise<SshKey> {
    await this.holdProject(projectId);
    const present = await this.deployKeys.holdByFingerprint(draft.fingerprint);
    if (present !== null) {
      const isSame = present.userId === null && isSameKey(present.key, draft.key);
      if (!isSame || !(await this.deployKeys.isVisible(present.id, caller))) throw taken();
      await this.deployKeys.link(projectId, present.id);
      return present;
    }
    const key = await this.sshKeys.insert({ userId: null, ...draft });
    await this.deployKeys.link(projectId, key.id);
    await this.events.publish(new SshKeysChanged([key], 'added'));
    return key;
  }

  /** Before the key: everybody locks projects first. */
  private async holdProject(id: number): Promise<void> {
    if (!(await this.deployKeys.holdProject(id))) throw notFound('Project');
  }
}

const taken = () => invalidRecord({ fingerprint: ['has already been taken'] });
