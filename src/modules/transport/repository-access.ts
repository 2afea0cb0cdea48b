import { Injectable } from '@nestjs/common';
import {
  type Ability,
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../access/index.js';
import { SettingsService } from '../settings/index.js';
import type { User } from '../users/index.js';

export type Service = 'git-upload-pack' | 'git-receive-pack';

/** How a git client names a project. */
export interface RepositoryPath {
  namespace: string;
  project: string;
}

export type Verdict =
  | { kind: 'granted'; access: ProjectAccess }
  /** There is no such project, or it must look like that. */
  | { kind: 'missing' }
  | { kind: 'denied' };

const ABILITY: Record<Service, Ability> = {
  'git-upload-pack': 'code:read',
  'git-receive-pack': 'code:push',
};

/** Decides who may fetch and push, whatever the transport (open points 8.3, 8.4). */
@Injectable()
export class RepositoryAccess {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly settings: SettingsService,
  ) {}

  async isSwitchedOff(protocol: 'http' | 'ssh'): Promise<boolean> {
    const { enabledGitAccessProtocol } = await this.settings.current();
    return enabledGitAccessProtocol === (protocol === 'http' ? 'ssh' : 'http');
  }

  /** @param user null is anonymous */
  async judge(user: User | null, path: RepositoryPath, service: Service): Promise<Verdict> {
    const identifier = { namespace: path.namespace, path: path.project };
    const access = await this.projects.find(user, identifier);
    if (access === null || !canSee(access)) return { kind: 'missing' };
    if (!allows(access, ABILITY[service]) || isClosed(access, service)) return { kind: 'denied' };
    return { kind: 'granted', access };
  }
}

function isClosed(access: ProjectAccess, service: Service): boolean {
  return service === 'git-receive-pack' && access.project.archived;
}
