import { Injectable } from '@nestjs/common';
import type { PackServiceName } from '../../git/index.js';
import {
  type Ability,
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../authorization/index.js';
import { DeployKeysService } from '../projects/index.js';
import { SettingsService } from '../settings/index.js';
import { ActingUsers, type SshKey, type User } from '../users/index.js';

export type GitService = PackServiceName | 'git-upload-archive';

/** The path of a project, as git clients send it. */
export interface RepositoryPath {
  namespace: string;
  project: string;
}

type AccessDecision =
  | { kind: 'granted'; access: ProjectAccess }
  /** The project does not exist, or the caller must not know that it does. */
  | { kind: 'missing' }
  | { kind: 'denied' };

type DeployKeyDecision =
  | AccessDecision
  /** The key may read the project only. */
  | { kind: 'read-only' };

const ABILITY: Record<GitService, Ability> = {
  'git-upload-pack': 'code:read',
  'git-receive-pack': 'code:push',
  'git-upload-archive': 'code:read',
};

/**
 * Decides who may fetch and push, over HTTP and SSH (docs/reference/git.md#who-may-do-what and
 * docs/reference/git.md#protocols).
 */
@Injectable()
export class RepositoryAccess {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly settings: SettingsService,
    private readonly deployKeys: DeployKeysService,
    private readonly users: ActingUsers,
  ) {}

  /** Whether the instance settings allow only the other protocol. */
  async isProtocolDisabled(protocol: 'http' | 'ssh'): Promise<boolean> {
    const { enabledGitAccessProtocol } = await this.settings.current();
    return enabledGitAccessProtocol === (protocol === 'http' ? 'ssh' : 'http');
  }

  /** @param user null is anonymous */
  async authorize(
    user: User | null,
    path: RepositoryPath,
    service: GitService,
  ): Promise<AccessDecision> {
    const identifier = { namespace: path.namespace, path: path.project };
    const access = await this.projects.find(user, identifier);
    if (access === null || !canSee(access)) return { kind: 'missing' };
    if (!allows(access, ABILITY[service]) || isArchivedPush(access, service))
      return { kind: 'denied' };
    return { kind: 'granted', access };
  }

  /**
   * Decides on a deploy key, which pushes where it may in the name of an account. That account must be active and able to read
   * the project.
   */
  async authorizeDeployKey(
    key: Pick<SshKey, 'id'>,
    path: RepositoryPath,
    service: GitService,
  ): Promise<DeployKeyDecision> {
    const decision = await this.authorizeReadingKey(key, path);
    if (decision.kind !== 'granted' || service !== 'git-receive-pack') return decision;
    const { project } = decision.access;
    const userId = await this.deployKeys.findPusher(key.id, project.id);
    if (userId === null) return { kind: 'read-only' };
    const pusher = await this.users.findOnProject(userId, project.id);
    const mayPush = pusher !== null && allows(pusher.access, 'code:read') && !project.archived;
    return mayPush ? decision : { kind: 'denied' };
  }

  /** Finds the account in whose name a deploy key pushes to a project; null if the key may not push to it. */
  findPusher(key: Pick<SshKey, 'id'>, projectId: number): Promise<number | null> {
    return this.deployKeys.findPusher(key.id, projectId);
  }

  /**
   * Decides whether a deploy key may read a project: it must be linked to it, or the project must be readable
   * without signing in. Other projects are reported as missing.
   */
  private async authorizeReadingKey(
    { id }: Pick<SshKey, 'id'>,
    path: RepositoryPath,
  ): Promise<AccessDecision> {
    const identifier = { namespace: path.namespace, path: path.project };
    const access = await this.projects.find(null, identifier);
    if (access === null) return { kind: 'missing' };
    const isPublic = canSee(access) && allows(access, ABILITY['git-upload-pack']);
    const isReadable = isPublic || (await this.deployKeys.opens(id, access.project.id));
    return isReadable ? { kind: 'granted', access } : { kind: 'missing' };
  }
}

function isArchivedPush(access: ProjectAccess, service: GitService): boolean {
  return service === 'git-receive-pack' && access.project.archived;
}
