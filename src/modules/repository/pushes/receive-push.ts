import type { Readable, Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { RefUpdate } from '../../../git/index.js';
import { runAs } from '../../../platform/async/index.js';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { ProjectStorage, pushLimitsOf, StorageQuota } from '../../projects/index.js';
import { CurrentRights } from './current-rights.js';
import { thisHost } from './orphaned-git.js';
import { PostReceive } from './post-receive.js';
import type { PushIntent } from './push-intent.entity.js';
import { type LockedProject, PushIntentsRepository } from './push-intents.repository.js';
import { PushJudge } from './push-judge.js';
import { PushRecovery } from './push-recovery.js';
import { type Pusher, PushSession } from './push-session.js';
import { PushTurns } from './push-turns.js';

/** The two ends of a git client's connection. */
export interface GitStreams {
  input: Readable;
  output: Writable;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
  /** True for HTTP, where one exchange is one request. */
  stateless: boolean;
  /** The value of `GIT_PROTOCOL` that the client asked for. */
  protocol?: string | undefined;
}

/** What the sessions share. */
@Injectable()
export class PushParts {
  constructor(
    readonly work: UnitOfWork,
    readonly intents: PushIntentsRepository,
    readonly turns: PushTurns,
    readonly judge: PushJudge,
    readonly recovery: PushRecovery,
    readonly rights: CurrentRights,
    readonly quota: StorageQuota,
  ) {}

  /** Takes the push lock to the end of the unit of work; null for a project that is deleted. */
  async enter(projectId: number): Promise<LockedProject | null> {
    await this.intents.lock(projectId);
    return this.intents.findProject(projectId);
  }

  /**
   * Commits the intent by itself, before anybody may act on it.
   * @param pid of the process that is going to move the refs
   */
  recordIntent(
    { access, userId }: Pusher,
    updates: RefUpdate[],
    pid: number | null,
  ): Promise<PushIntent> {
    const intent = { projectId: access.project.id, userId, updates, host: thisHost, pid };
    return this.work.detached(() => this.intents.insert(intent));
  }
}

/** Takes a push from any transport: git unpacks and moves refs, the session judges and records. */
@Injectable()
export class ReceivePush {
  constructor(
    private readonly parts: PushParts,
    private readonly storage: ProjectStorage,
    private readonly config: Config,
    private readonly postReceive: PostReceive,
  ) {}

  /**
   * Resolves when the client has its report; refusals are part of the report, not errors.
   * @returns the exit code of git
   */
  run(pusher: Pusher, streams: GitStreams): Promise<number> {
    return runAs('push', () => this.receive(pusher, streams));
  }

  private async receive(pusher: Pusher, streams: GitStreams): Promise<number> {
    const session = new PushSession(this.parts, pusher);
    const { exitCode } = await this.storage.repository(pusher.access.project).receivePack({
      ...streams,
      ...pushLimitsOf(this.config),
      gate: (updates, quarantine) => session.judge(updates, quarantine),
      settle: async ({ exitCode: code }) => {
        await session.settle(code === 0);
        const { access, userId } = pusher;
        const push = { project: access.project, userId, branches: session.pushed };
        return { messages: await this.postReceive.runSteps({ ...push, printsMessages: true }) };
      },
    });
    return exitCode ?? 1;
  }
}
