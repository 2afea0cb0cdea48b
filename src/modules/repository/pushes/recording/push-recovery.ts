import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { unavailable } from '../../../../platform/errors/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { ProjectStorage, RepositoryLocks } from '../../../projects/index.js';
import { type LockedProject, PushesRepository } from '../pushes.repository.js';
import { endOrphanedProcess } from './orphaned-processes.js';
import { PushRecorder } from './push-recorder.js';

export const recoverPushes = defineRecurringJob({
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
