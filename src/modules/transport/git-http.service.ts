import { Injectable } from '@nestjs/common';
import { advertisementHeader, type PackServiceName } from '../../git/index.js';
import { ProjectStorage, RepositoryReadiness } from '../projects/index.js';
import { type GitStreams, ReceivePush } from '../repository/index.js';
import type { GitAccess } from './git-authorization.js';
import { beingFilled, challenge, missing } from './transport-refusal.js';

/** Git's smart protocol over HTTP (docs/reference/git.md#http); all data is streamed. */
@Injectable()
export class GitHttpService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly pushes: ReceivePush,
    private readonly readiness: RepositoryReadiness,
  ) {}

  /**
   * Lets a push wait for a copy or an import.
   * @param gone aborted when the client goes away
   * @throws TransportRefusal when that takes too long
   */
  async whenReady({ access }: GitAccess, gone: AbortSignal): Promise<void> {
    if (!(await this.readiness.wait(access.project.id, gone))) throw beingFilled();
  }

  /** What the repository has, as the first answer of every conversation. */
  async advertise(
    { access }: GitAccess,
    service: PackServiceName,
    streams: Pick<GitStreams, 'output' | 'signal' | 'protocol'>,
  ): Promise<void> {
    const repository = this.storage.repository(access.project);
    if (!(await repository.exists())) throw missing();
    streams.output.write(advertisementHeader(service, streams.protocol));
    await repository.advertise({ service, ...streams });
  }

  async fetch({ access }: GitAccess, streams: GitStreams): Promise<void> {
    await this.storage.repository(access.project).uploadPack(streams);
  }

  async push({ access, user, isStillSignedIn }: GitAccess, streams: GitStreams): Promise<void> {
    if (user === null) throw challenge();
    await this.pushes.receive({ access, userId: user.id, isStillSignedIn }, streams);
  }
}
