import { Injectable } from '@nestjs/common';
import type { ProjectAccess } from '../../access/index.js';
import { ProjectStorage, RepositoryReadiness } from '../../projects/index.js';
import { type GitStreams, ReceivePush } from '../../repository/index.js';
import { RepositoryAccess, type RepositoryPath, type Service } from '../repository-access.js';
import type { SshCaller } from './ssh-callers.js';
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
   * Serves a fetch, a push or an archive, and answers the exit code.
   * @throws SshRefusal
   */
  async hold(caller: SshCaller, request: GitRequest, streams: GitStreams): Promise<number> {
    const access = await this.authorize(caller, request);
    if (request.service === 'git-receive-pack') return this.push(caller, request, access, streams);
    const repository = this.storage.repository(access.project);
    const { exitCode } =
      request.service === 'git-upload-archive'
        ? await repository.uploadArchive(streams)
        : await repository.uploadPack(streams);
    return exitCode ?? 1;
  }

  private async push(
    caller: SshCaller,
    request: GitRequest,
    admitted: ProjectAccess,
    streams: GitStreams,
  ): Promise<number> {
    if (caller.kind !== 'user') throw new SshRefusal(TEXT.deployKeyPush);
    let access = admitted;
    if (access.project.repositoryState !== 'ready') {
      const isReady = await this.readiness.wait(access.project.id, streams.signal);
      if (!isReady) throw new SshRefusal(TEXT.beingFilled);
      // The project may be another one after all that time.
      access = await this.authorize(caller, request);
    }
    return this.pushes.run({ access, userId: caller.user.id }, streams);
  }

  private async authorize(
    caller: SshCaller,
    { service, path }: GitRequest,
  ): Promise<ProjectAccess> {
    const verdict =
      caller.kind === 'user'
        ? await this.repositories.judge(caller.user, path, service)
        : await this.repositories.judgeDeployKey(caller.key, path);
    if (verdict.kind === 'granted') return verdict.access;
    throw new SshRefusal(verdict.kind === 'missing' ? TEXT.missing : TEXT[service]);
  }
}
