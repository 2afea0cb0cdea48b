import { Injectable } from '@nestjs/common';
import type { PackResult } from '../../../git/index.js';
import type { ReleaseSlot } from '../../../platform/limits/index.js';
import { DownloadSlots, type ProjectAccess } from '../../access/index.js';
import { ProjectStorage, RepositoryReadiness } from '../../projects/index.js';
import { type GitStreams, ReceivePush } from '../../repository/index.js';
import { RepositoryAccess, type RepositoryPath, type Service } from '../repository-access.js';
import { TransportSlots } from '../transport-slots.js';
import type { SshCaller } from './ssh-callers.js';
import { SshRefusal, TEXT } from './ssh-refusal.js';

/** What a client wants of which repository. */
export interface GitRequest {
  service: Service;
  path: RepositoryPath;
  /** IP address of the client. */
  address: string;
  /** Whether the key still lets the caller in. */
  isStillSignedIn: () => Promise<boolean>;
}

/** Git's smart protocol over SSH: one process of git on one channel (docs/reference/git.md#ssh). */
@Injectable()
export class SshConversation {
  constructor(
    private readonly repositories: RepositoryAccess,
    private readonly storage: ProjectStorage,
    private readonly readiness: RepositoryReadiness,
    private readonly pushes: ReceivePush,
    private readonly slots: TransportSlots,
    private readonly downloads: DownloadSlots,
  ) {}

  /**
   * Serves a fetch, a push or an archive, and answers the exit code.
   * @throws SshRefusal
   * @throws SlotsTakenError
   */
  async hold(caller: SshCaller, request: GitRequest, streams: GitStreams): Promise<number> {
    const access = await this.authorize(caller, request);
    const userId = caller.kind === 'user' ? caller.user.id : null;
    const client = { address: request.address, userId };
    const { signal } = streams;
    if (request.service === 'git-upload-archive') {
      const admit = (): Promise<ReleaseSlot> => this.downloads.acquire(client, signal);
      const repository = this.storage.repository(access.project);
      return codeOf(await repository.uploadArchive({ ...streams, admit }));
    }
    return this.slots.hold(client, signal, async () => {
      if (request.service === 'git-receive-pack') {
        return this.push(caller, request, access, streams);
      }
      return codeOf(await this.storage.repository(access.project).uploadPack(streams));
    });
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
    const { isStillSignedIn } = request;
    return this.pushes.receive({ access, userId: caller.user.id, isStillSignedIn }, streams);
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

const codeOf = ({ exitCode }: PackResult): number => exitCode ?? 1;
