import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { unavailable } from '../../../../platform/errors/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { ProjectStorage, RepositoryLocks } from '../../../projects/index.js';
import type { PushIntent } from '../push-intent.entity.js';
import { type LockedProject, PushesRepository } from '../pushes.repository.js';
import { PushRecorder, THIS_HOST } from './push-recorder.js';

/** How long git on another machine may continue to move refs after its service died. */
const FOREIGN_LEASE_MS = 120_000;
const POLL_MS = 20;

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

/** Finishes pushes whose process died between the intent and the record (docs/decisions/0006-push-intents.md). */
@Injectable()
@HandlesJob(recoverPushes)
export class PushRecovery implements JobHandler {
  private readonly logger = new Logger(PushRecovery.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly locks: RepositoryLocks,
    private readonly pushes: PushesRepository,
    private readonly recorder: PushRecorder,
    private readonly storage: ProjectStorage,
  ) {}

  handle(): Promise<void> {
    return this.recoverAll();
  }

  /** Finishes the interrupted pushes of all projects, except of those that are being pushed to. */
  async recoverAll(): Promise<void> {
    for (const projectId of await this.pushes.findProjectsWithIntents()) {
      try {
        await this.work.run(async () => {
          if (await this.locks.tryTake(projectId)) await this.settleProject(projectId);
        });
      } catch (error) {
        this.logger.error(`A push to project ${String(projectId)} cannot be settled yet`, error);
      }
    }
  }

  /** Waits for the push lock of a project and finishes its interrupted pushes. */
  recover(projectId: number): Promise<void> {
    return this.work.run(async () => {
      await this.locks.take(projectId);
      await this.settleProject(projectId);
    });
  }

  /**
   * Finishes the interrupted pushes of a project. Requires its push lock: a push under way holds that lock
   * until it is recorded, so an intent that is found belongs to a process that died.
   * @param project as it was read under that lock
   * @throws DomainError unavailable while git of another machine may still move refs
   */
  async settleLeftovers(project: LockedProject): Promise<void> {
    if (!project.hasIntents) return;
    const { path, refs } = this.storage.repository(project);
    for (const intent of await this.pushes.findIntents(project.id)) {
      if (!(await endOrphanedProcess(intent, path))) throw unavailable();
      await refs.removeStaleLocks(intent.updates.map(({ ref }) => ref));
      await this.recorder.recordPush(intent, project);
      this.logger.warn(`Settled an interrupted push to project ${String(project.id)}`);
    }
  }

  private async settleProject(projectId: number): Promise<void> {
    const project = await this.pushes.findProject(projectId);
    if (project !== null) await this.settleLeftovers(project);
  }
}

/**
 * Makes sure that the git process of an interrupted push moves no more refs. A process on this machine is
 * ended; one on another machine is considered dead once its lease has expired. False while the process may
 * still run.
 */
async function endOrphanedProcess(
  { host, pid, createdAt }: PushIntent,
  repositoryPath: string,
): Promise<boolean> {
  if (host !== THIS_HOST || process.platform !== 'linux') {
    return Date.now() - createdAt.getTime() > FOREIGN_LEASE_MS;
  }
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
