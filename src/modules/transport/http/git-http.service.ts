import { Injectable } from '@nestjs/common';
import { advertisementHeader, type PackServiceName } from '../../../git/index.js';
import { ProjectStorage, RepositoryReadiness } from '../../projects/index.js';
import { type GitStreams, ReceivePush } from '../../repository/index.js';
import type { GitAccess } from './git-authorization.js';
import { beingFilled, challenge, missing } from './git-http.filter.js';

/** Git's smart protocol over HTTP (docs/reference/git.md#http); all data is streamed. */
@Injectable()
export class GitHttpService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly pushes: ReceivePush,
    private readonly readiness: RepositoryReadiness,
  ) {}

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
