import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/index.js';
import { parseBasic } from '../../../platform/http/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { AuthenticationService, PasswordThrottle, type User } from '../../users/index.js';
import {
  RepositoryAccess,
  type RepositoryPath,
  type Service,
} from '../shared/repository-access.js';
import {
  challenge,
  denied,
  missing,
  shutOut,
  protocolDisabled,
  tooManyAttempts,
} from './git-http.filter.js';

/** The address and credential of a request. */
export interface GitClient {
  /** IP address. */
  address: string;
  authorization: string | undefined;
}

export interface GitAccess {
  access: ProjectAccess;
  /** Null is anonymous. */
  user: User | null;
  /** Whether the credential is still valid. */
  isStillSignedIn: () => Promise<boolean>;
}

/** Authenticates and authorizes requests of git clients over HTTP (docs/reference/git.md#http). */
@Injectable()
export class GitAuthorization {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly throttle: PasswordThrottle,
    private readonly repositories: RepositoryAccess,
  ) {}

  /** @throws GitHttpRefusal */
  async authorize(client: GitClient, path: RepositoryPath, service: Service): Promise<GitAccess> {
    // First, so that git does not prompt for a password in vain.
    if (await this.repositories.isProtocolDisabled('http')) throw protocolDisabled();
    const user = await this.identify(client);
    const decision = await this.repositories.authorize(user, path, service);
    if (decision.kind === 'granted') {
      const isStillSignedIn = (): Promise<boolean> => this.isStillSignedIn(client, user);
      return { access: decision.access, user, isStillSignedIn };
    }
    if (user === null) throw challenge();
    throw decision.kind === 'missing' ? missing() : denied();
  }

  private async isStillSignedIn({ authorization }: GitClient, user: User | null): Promise<boolean> {
    const credential = parseBasic(authorization);
    if (credential === null || user === null) return user === null;
    if (await this.repositories.isProtocolDisabled('http')) return false;
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

/** Maps a refusal of the password throttle to one of this protocol. */
function throttled(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const { detail } = error;
  if (detail.code === 'forbidden') return shutOut();
  return detail.code === 'too-many-requests' ? tooManyAttempts(detail.retryAfterSeconds) : error;
}
