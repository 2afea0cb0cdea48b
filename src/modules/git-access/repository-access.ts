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
import type { SshKey, User } from '../users/index.js';

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
   * Decides whether a deploy key may read a project: it must be linked to it, or the project must be readable
   * without signing in. Other projects are reported as missing.
   */
  async authorizeDeployKey(
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
