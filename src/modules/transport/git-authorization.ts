import { Injectable } from '@nestjs/common';
import { DomainError } from '../../platform/errors/index.js';
import { parseBasic } from '../../platform/http/index.js';
import type { ProjectAccess } from '../access/index.js';
import { Authentication, BasicThrottle, type User } from '../users/index.js';
import { RepositoryAccess, type RepositoryPath, type Service } from './repository-access.js';
import {
  challenge,
  denied,
  missing,
  shutOut,
  switchedOff,
  tooManyAttempts,
} from './transport-refusal.js';

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

/** Finds out who asks over HTTP, and what those who may not are told (open points 8.1). */
@Injectable()
export class GitAuthorization {
  constructor(
    private readonly authentication: Authentication,
    private readonly throttle: BasicThrottle,
    private readonly repositories: RepositoryAccess,
  ) {}

  /** @throws TransportRefusal */
  async authorize(client: GitClient, path: RepositoryPath, service: Service): Promise<GitAccess> {
    // Before anything else: nobody is asked for a password that would not let them in.
    if (await this.repositories.isSwitchedOff('http')) throw switchedOff();
    const user = await this.identify(client);
    const verdict = await this.repositories.judge(user, path, service);
    if (verdict.kind === 'granted') return { access: verdict.access, user };
    if (user === null) throw challenge();
    throw verdict.kind === 'missing' ? missing() : denied();
  }

  private async identify({ address, authorization }: GitClient): Promise<User | null> {
    const credential = parseBasic(authorization);
    if (credential === null) return null;
    if (await this.throttle.isShutOut(address)) throw shutOut();
    const { login, secret } = credential;
    const user = await this.authentication
      .byBasic(login, secret, this.throttle.from(address))
      .catch((error: unknown) => {
        throw throttled(error);
      });
    if (user !== null) return user;
    throw challenge();
  }
}

/** The refusal of an attempt in the words of this protocol. */
function throttled(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const { detail } = error;
  if (detail.code === 'forbidden') return shutOut();
  return detail.code === 'too-many-requests' ? tooManyAttempts(detail.retryAfterSeconds) : error;
}
