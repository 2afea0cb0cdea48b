import { Injectable } from '@nestjs/common';
import { DomainError } from '../../platform/errors/index.js';
import { parseBasic } from '../../platform/http/index.js';
import type { ProjectAccess } from '../access/index.js';
import { AuthenticationService, PasswordThrottle, type User } from '../users/index.js';
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
  /** Whether the credential is still what it was. */
  isStillSignedIn: () => Promise<boolean>;
}

/** Finds out who asks over HTTP, and what those who may not are told (docs/reference/git.md#http). */
@Injectable()
export class GitAuthorization {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly throttle: PasswordThrottle,
    private readonly repositories: RepositoryAccess,
  ) {}

  /** @throws TransportRefusal */
  async authorize(client: GitClient, path: RepositoryPath, service: Service): Promise<GitAccess> {
    // Before anything else: nobody is asked for a password that would not let them in.
    if (await this.repositories.isSwitchedOff('http')) throw switchedOff();
    const user = await this.identify(client);
    const verdict = await this.repositories.judge(user, path, service);
    if (verdict.kind === 'granted') {
      const isStillSignedIn = (): Promise<boolean> => this.isStillSignedIn(client, user);
      return { access: verdict.access, user, isStillSignedIn };
    }
    if (user === null) throw challenge();
    throw verdict.kind === 'missing' ? missing() : denied();
  }

  private async isStillSignedIn({ authorization }: GitClient, user: User | null): Promise<boolean> {
    const credential = parseBasic(authorization);
    if (credential === null || user === null) return user === null;
    if (await this.repositories.isSwitchedOff('http')) return false;
    return this.authentication.isStillValid(user, credential.secret);
  }

  private async identify({ address, authorization }: GitClient): Promise<User | null> {
    const credential = parseBasic(authorization);
    if (credential === null) return null;
    if (await this.throttle.isShutOut(address)) throw shutOut();
    const { login, secret } = credential;
    const user = await this.authentication
      .findByBasicCredential(login, secret, this.throttle.forBasicAuthentication(address))
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
