import { Injectable } from '@nestjs/common';
import {
  advertisementHeader,
  type PackServiceName,
  type PackSlot,
  RepositoryMissingError,
} from '../../../git/index.js';
import { DomainError } from '../../../platform/errors/index.js';
import { parseBasic } from '../../../platform/http/index.js';
import { accessFor, type ProjectAccess } from '../../authorization/index.js';
import { RepositoryReadiness } from '../../projects/index.js';
import { type GitStreams, ReceivePush } from '../../repository/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { AuthenticationService, PasswordThrottle, type User } from '../../users/index.js';
import { PUSH_TEXTS } from '../push-texts.js';
import { RepositoryAccess, type RepositoryPath, type GitService } from '../repository-access.js';
import {
  type GitHttpRefusal,
  beingFilled,
  challenge,
  denied,
  missing,
  protocolDisabled,
  shutOut,
  tooManyAttempts,
} from './git-http.filter.js';

/** The address and credential of a request. */
export interface GitClient {
  /** IP address. */
  address: string;
  authorization: string | undefined;
  /** Aborted when the client disconnects. */
  gone?: AbortSignal;
}

export interface GitAccess {
  access: ProjectAccess;
  /** Null is anonymous. */
  user: User | null;
  /** Whether the credential is still valid. */
  isStillSignedIn: () => Promise<boolean>;
}

/**
 * Authorizes git clients and serves Git's smart protocol over HTTP (docs/reference/git.md#http); all data is
 * streamed.
 */
@Injectable()
export class GitHttpService {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly throttle: PasswordThrottle,
    private readonly repositories: RepositoryAccess,
    private readonly storage: ProjectStorage,
    private readonly pushes: ReceivePush,
    private readonly readiness: RepositoryReadiness,
  ) {}

  /** @throws GitHttpRefusal */
  async authorize(
    client: GitClient,
    path: RepositoryPath,
    service: GitService,
  ): Promise<GitAccess> {
    // First, so that git does not prompt for a password in vain.
    if (await this.repositories.isProtocolDisabled('http')) throw protocolDisabled();
    const user = await this.identify(client);
    const decision = await this.repositories.authorize(user, path, service);
    if (decision.kind === 'granted') {
      const isStillSignedIn = (): Promise<boolean> => this.isStillSignedIn(client, user);
      const access = accessFor({ address: client.address, userId: user?.id }, decision.access);
      return { access, user, isStillSignedIn };
    }
    throw user === null ? challenge() : refusalOf(decision.kind);
  }

  /**
   * Judges again what was granted before a wait, without comparing a password again.
   * @throws GitHttpRefusal
   */
  async confirm(
    { user, isStillSignedIn }: GitAccess,
    path: RepositoryPath,
    service: GitService,
  ): Promise<void> {
    if (!(await isStillSignedIn())) throw challenge();
    const { kind } = await this.repositories.authorize(user, path, service);
    if (kind !== 'granted') throw refusalOf(kind);
  }

  /**
   * Waits until the fork or import of the repository is complete.
   * @param disconnected aborted when the client disconnects
   * @throws GitHttpRefusal when that takes too long
   */
  async whenReady({ access }: GitAccess, disconnected: AbortSignal): Promise<void> {
    if (!(await this.readiness.wait(access.project.id, disconnected))) throw beingFilled();
  }

  /** Sends the refs of the repository, the first answer of every fetch and push. */
  async advertise(
    { access }: GitAccess,
    service: PackServiceName,
    streams: Pick<GitStreams, 'output' | 'signal' | 'protocol'>,
  ): Promise<void> {
    streams.output.write(advertisementHeader(service, streams.protocol));
    await this.storage.snapshot(access.project).advertise({ service, ...streams });
  }

  /**
   * Checks that the repository can be read. Once the answer has begun, it cannot be refused any more.
   * @throws RepositoryMissingError, the error of a file system
   */
  async assertReadable({ access }: GitAccess): Promise<void> {
    const repository = this.storage.snapshot(access.project);
    if (!(await repository.exists())) throw new RepositoryMissingError(repository.path);
    await repository.refs.head();
  }

  async fetch({ access }: GitAccess, streams: GitStreams & { slot: PackSlot }): Promise<void> {
    await this.storage.repository(access.project).uploadPack(streams);
  }

  async push({ access, user, isStillSignedIn }: GitAccess, streams: GitStreams): Promise<void> {
    if (user === null) throw challenge();
    await this.pushes.receive({ access, userId: user.id, isStillSignedIn }, streams, PUSH_TEXTS);
  }

  private async isStillSignedIn({ authorization }: GitClient, user: User | null): Promise<boolean> {
    const credential = parseBasic(authorization);
    if (credential === null || user === null) return user === null;
    if (await this.repositories.isProtocolDisabled('http')) return false;
    return this.authentication.isStillValid(user, credential.secret);
  }

  private async identify({ address, authorization, gone }: GitClient): Promise<User | null> {
    const credential = parseBasic(authorization);
    if (credential === null) return null;
    if (await this.throttle.isShutOut(address)) throw shutOut();
    const { login, secret } = credential;
    const user = await this.authentication
      .findByBasicCredential(login, secret, { address, gone })
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

const refusalOf = (kind: 'missing' | 'denied'): GitHttpRefusal =>
  kind === 'missing' ? missing() : denied();
