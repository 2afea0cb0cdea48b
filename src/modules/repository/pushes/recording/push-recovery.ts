import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ProcessLease } from '../../../../platform/cluster/index.js';
import type { UnitOfWorkOptions } from '../../../../platform/database/index.js';
import { DomainError } from '../../../../platform/errors/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { ProjectStorage, PushLock } from '../../../storage/index.js';
import type { PushIntent } from '../push-intent.entity.js';
import { type LockedProject, PushesRepository } from '../pushes.repository.js';
import { PushRecorder } from './push-recorder.js';

/** How long git on another machine may continue to move refs after its service died, if nothing can stop it. */
const UNGUARDED_MS = 120_000;
const POLL_MS = 20;
/** Between two looks at a push that others have to settle. */
const WAIT_STEP_MS = 500;
/** After a process was fenced; ending its sessions takes a moment. */
const TAKEOVER_DELAYS_MS = [200, 1_000, 3_000];

/**
 * Without its service git soon ends by itself, whether or not it moved the refs. A process that hangs gets
 * SIGTERM first: killed at once, it would leave the locks of its refs behind.
 */
const STEPS: readonly { signal: NodeJS.Signals | null; waitMs: number }[] = [
  { signal: null, waitMs: 2_000 },
  { signal: 'SIGTERM', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

const recoverPushes = defineRecurringJob({
  queue: 'repositories',
  name: 'recover-pushes',
  everyMs: 15_000,
});

/** A push to the project was interrupted on another machine, and cannot be settled yet. */
export class UnsettledPushError extends DomainError {
  constructor() {
    super({ code: 'unavailable', retryAfterSeconds: 10 });
  }
}

/** Finishes pushes whose process died between the intent and the record (docs/decisions/0006-push-intents.md). */
@Injectable()
@HandlesJob(recoverPushes)
export class PushRecovery implements JobHandler {
  /** How long a push waits until interrupted ones are settled: by then, a lease of a dead process was taken over. */
  readonly maxWaitMs: number;
  private readonly logger = new Logger(PushRecovery.name);

  constructor(
    private readonly pushLock: PushLock,
    private readonly pushes: PushesRepository,
    private readonly recorder: PushRecorder,
    private readonly storage: ProjectStorage,
    private readonly lease: ProcessLease,
  ) {
    this.maxWaitMs = 2 * lease.durationMs;
    lease.whenTakenOver(() => {
      for (const ms of TAKEOVER_DELAYS_MS) setTimeout(() => void this.tryRecoverAll(), ms).unref();
    });
  }

  handle(): Promise<void> {
    return this.recoverAll();
  }

  /** Finishes the interrupted pushes of all projects, except of those that are being pushed to. */
  async recoverAll(): Promise<void> {
    for (const projectId of await this.pushes.findProjectsWithIntents()) {
      try {
        await this.pushLock.holdIfFree(projectId, async () => {
          await this.settleProject(projectId);
        });
      } catch (error) {
        const text = `A push to project ${String(projectId)} cannot be settled yet`;
        if (error instanceof UnsettledPushError) this.logger.warn(text);
        else this.logger.error(text, error);
      }
    }
  }

  /**
   * Holds the push lock of a project once interrupted pushes to it are settled, which takes `maxWaitMs` at most, and runs
   * a unit of work with the project; null when it is deleted.
   * @param onWait called once before the first wait
   * @throws UnsettledPushError
   */
  async holdSettled<T>(
    { projectId, userId }: { projectId: number; userId: number | null },
    work: (project: LockedProject | null) => Promise<T>,
    options: Pick<UnitOfWorkOptions, 'retry'>,
    onWait?: () => void,
  ): Promise<T> {
    const end = performance.now() + this.maxWaitMs;
    const claim = { projectIds: [projectId], userId };
    const settledWork = async (): Promise<T> => work(await this.settleProject(projectId));
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await this.pushLock.hold(claim, settledWork, options);
      } catch (error) {
        if (!(error instanceof UnsettledPushError) || performance.now() > end) throw error;
      }
      if (isFirst) onWait?.();
      await delay(WAIT_STEP_MS);
      await this.lease.fenceSilent();
    }
  }

  /** Waits for the push lock of a project and finishes its interrupted pushes. */
  async recover(projectId: number): Promise<void> {
    await this.pushLock.hold({ projectIds: [projectId], userId: null }, () =>
      this.settleProject(projectId),
    );
  }

  /**
   * Finishes the interrupted pushes of a project. Requires its push lock: a push under way holds that lock
   * until it is recorded, so an intent that is found belongs to a process that died.
   * @returns the project; null when it is deleted
   * @throws UnsettledPushError while git of another machine may still move refs
   */
  private async settleProject(projectId: number): Promise<LockedProject | null> {
    const project = await this.pushes.findProject(projectId);
    if (project === null || !project.hasIntents) return project;
    const { path, refs } = this.storage.repository(project);
    for (const intent of await this.pushes.findIntents(projectId)) {
      if (!(await this.hasEnded(intent, path))) throw new UnsettledPushError();
      await refs.removeStaleLocks(intent.updates.map(({ ref }) => ref));
      await this.recorder.recordPush(intent, project);
      this.logger.warn(`Settled an interrupted push to project ${String(projectId)}`);
    }
    return project;
  }

  private async tryRecoverAll(): Promise<void> {
    try {
      await this.recoverAll();
    } catch (error) {
      this.logger.error('Interrupted pushes cannot be settled yet', error);
    }
  }

  /**
   * Makes sure that the git process of an interrupted push moves no more refs. False while it may still do so. One on this
   * machine is ended. Elsewhere, the process of its service must have lost its lease; then a guarded git cannot
   * move a ref without the locks that are removed next. One that is not guarded had no other machine beside its own: it ran
   * here before a restart, or is considered dead after two minutes.
   */
  private async hasEnded(intent: PushIntent, repositoryPath: string): Promise<boolean> {
    const { machine, host, pid, processId, epoch, isGuarded, createdAt } = intent;
    const { identity } = this.lease;
    const isSameHost = host === identity.host;
    const isHere = machine === null ? isSameHost : machine === identity.machine;
    if (isHere && process.platform === 'linux') return endProcess(pid, repositoryPath);
    const isOld = Date.now() - createdAt.getTime() > UNGUARDED_MS;
    // Even if its process is alive: without the push lock that has been lost, it may not come to settle the push itself.
    if (isOld || processId === null || epoch === null) return isOld;
    if (!(await this.lease.isOver({ processId, epoch }))) return false;
    return isGuarded || isSameHost || identity.sharesKernelWith(machine);
  }
}

/** Ends the git process of an interrupted push on this machine. False when it cannot be ended. */
async function endProcess(pid: number | null, repositoryPath: string): Promise<boolean> {
  if (pid === null) return true;
  for (const { signal, waitMs } of STEPS) {
    if (!(await movesRefs(pid, repositoryPath))) return true;
    if (signal !== null) send(pid, signal);
    for (let waited = 0; waited < waitMs; waited += POLL_MS) {
      if (!(await movesRefs(pid, repositoryPath))) return true;
      await delay(POLL_MS);
    }
  }
  return false;
}

/** Whether the process is git moving refs of this repository, rather than another one with the same ID. */
async function movesRefs(pid: number, repositoryPath: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
  const words = commandLine.split('\0');
  return (
    (words.includes('receive-pack') && words.includes(repositoryPath)) ||
    (words.includes('update-ref') && words.includes(`--git-dir=${repositoryPath}`))
  );
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
