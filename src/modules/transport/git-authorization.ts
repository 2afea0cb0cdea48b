import { Injectable } from '@nestjs/common';
import { parseBasic } from '../../platform/http/index.js';
import {
  type Ability,
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../access/index.js';
import { SettingsService } from '../settings/index.js';
import { Authentication, BasicThrottle, type User } from '../users/index.js';
import { challenge, denied, missing, shutOut, switchedOff } from './transport-refusal.js';

export type Service = 'git-upload-pack' | 'git-receive-pack';

/** Where a request comes from and what it brings to be let in. */
export interface GitClient {
  /** IP address. */
  address: string;
  authorization: string | undefined;
}

export interface GitAccess {
  access: ProjectAccess;
  /** Null is anonymous. */
  user: User | null;
}

const ABILITY: Record<Service, Ability> = {
  'git-upload-pack': 'code:read',
  'git-receive-pack': 'code:push',
};

/** Decides who may fetch and push over HTTP, and what the others are told (open points 8.1, 8.3). */
@Injectable()
export class GitAuthorization {
  constructor(
    private readonly authentication: Authentication,
    private readonly throttle: BasicThrottle,
    private readonly projects: ProjectAccessRepository,
    private readonly settings: SettingsService,
  ) {}

  /** @throws TransportRefusal */
  async authorize(
    client: GitClient,
    path: { namespace: string; project: string },
    service: Service,
  ): Promise<GitAccess> {
    // Before anything else: nobody is asked for a password that would not let them in.
    const { enabledGitAccessProtocol } = await this.settings.current();
    if (enabledGitAccessProtocol === 'ssh') throw switchedOff();
    const user = await this.identify(client);
    const identifier = { namespace: path.namespace, path: path.project };
    const access = await this.projects.find(user, identifier);
    if (access === null || !canSee(access)) throw user === null ? challenge() : missing();
    if (!allows(access, ABILITY[service]) || isClosed(access, service)) {
      throw user === null ? challenge() : denied();
    }
    return { access, user };
  }

  private async identify({ address, authorization }: GitClient): Promise<User | null> {
    const credential = parseBasic(authorization);
    if (credential === null) return null;
    if (await this.throttle.isShutOut(address)) throw shutOut();
    const user = await this.authentication.byBasic(credential.login, credential.secret);
    if (user !== null) return user;
    await this.throttle.fail(address);
    throw challenge();
  }
}

function isClosed(access: ProjectAccess, service: Service): boolean {
  return service === 'git-receive-pack' && access.project.archived;
}
