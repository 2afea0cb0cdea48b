import { Injectable } from '@nestjs/common';
import type { ProjectAccess } from '../../access/index.js';
import { ProjectStorage, RepositoryReadiness } from '../../projects/index.js';
import { type GitStreams, ReceivePush } from '../../repository/index.js';
import type { User } from '../../users/index.js';
import { RepositoryAccess, type RepositoryPath, type Service } from '../repository-access.js';
import { SshRefusal, TEXT } from './ssh-refusal.js';

/** What a client wants of which repository. */
export interface GitRequest {
  service: Service;
  path: RepositoryPath;
}

/** Git's smart protocol over SSH: one process of git on one channel (open points 8.2). */
@Injectable()
export class SshConversation {
  constructor(
    private readonly repositories: RepositoryAccess,
    private readonly storage: ProjectStorage,
    private readonly readiness: RepositoryReadiness,
    private readonly pushes: ReceivePush,
  ) {}

  /**
   * Fetches or pushes, and answers the exit code.
   * @throws SshRefusal
   */
  async hold(user: User, request: GitRequest, streams: GitStreams): Promise<number> {
    if (request.service === 'git-receive-pack') return this.push(user, request, streams);
    const access = await this.authorize(user, request);
    const { exitCode } = await this.storage.repository(access.project).uploadPack(streams);
    return exitCode ?? 1;
  }

  private async push(user: User, request: GitRequest, streams: GitStreams): Promise<number> {
    let access = await this.authorize(user, request);
    if (access.project.repositoryState !== 'ready') {
      const isReady = await this.readiness.wait(access.project.id, streams.signal);
      if (!isReady) throw new SshRefusal(TEXT.beingFilled);
      // The project may be another one after all that time.
      access = await this.authorize(user, request);
    }
    return this.pushes.run({ access, userId: user.id }, streams);
  }

  private async authorize(user: User, { service, path }: GitRequest): Promise<ProjectAccess> {
    const verdict = await this.repositories.judge(user, path, service);
    if (verdict.kind === 'granted') return verdict.access;
    throw new SshRefusal(verdict.kind === 'missing' ? TEXT.missing : TEXT[service]);
  }
}
