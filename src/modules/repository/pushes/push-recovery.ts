import { Injectable, Logger } from '@nestjs/common';
import type { PushHistory } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { unavailable } from '../../../platform/errors/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { endOrphan } from './orphaned-git.js';
import type { PushIntent } from './push-intent.entity.js';
import { type LockedProject, PushIntentsRepository } from './push-intents.repository.js';
import { PushRecorder } from './push-recorder.js';
import type { PushedBranch } from './push.events.js';

/** Finishes pushes whose process died between git's moving the refs and the record of it. */
@Injectable()
export class PushRecovery {
  private readonly logger = new Logger(PushRecovery.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly intents: PushIntentsRepository,
    private readonly recorder: PushRecorder,
    private readonly storage: ProjectStorage,
  ) {}

  /**
   * Settles what earlier pushes left behind. Call with the project's push lock held: a live push
   * holds that lock until it is recorded, so any intent still there belongs to a dead one.
   * @param project as it was read under that lock
   * @throws DomainError unavailable while another machine's git may still be moving refs
   */
  async settleLeftovers(project: LockedProject): Promise<void> {
    if (!project.hasIntents) return;
    const { path, refs } = this.storage.repository(project);
    for (const intent of await this.intents.ofProject(project.id)) {
      if (!(await endOrphan(intent, path))) throw unavailable();
      await refs.removeStaleLocks(intent.updates.map(({ ref }) => ref));
      await this.recorder.record(intent, project);
      this.logger.warn(`Settled an interrupted push to project ${String(project.id)}`);
    }
  }

  /**
   * Records what came of a push whose git has ended, with the lock held.
   * @param history of the push, where it was read before
   * @returns the branches that it has made or moved
   */
  complete(
    intent: PushIntent,
    project: LockedProject,
    history: PushHistory | null = null,
  ): Promise<PushedBranch[]> {
    return this.recorder.record(intent, project, history);
  }

  /** Waits for the push lock and settles what the project has left over. */
  recover(projectId: number): Promise<void> {
    return this.work.run(async () => {
      await this.intents.lock(projectId);
      const project = await this.intents.findProject(projectId);
      if (project !== null) await this.settleLeftovers(project);
    });
  }

  /** Looks through all projects; leaves those alone where a push is under way. */
  async recoverAll(): Promise<void> {
    for (const projectId of await this.intents.projectsWithIntents()) {
      try {
        await this.work.run(async () => {
          if (!(await this.intents.tryLock(projectId))) return;
          const project = await this.intents.findProject(projectId);
          if (project !== null) await this.settleLeftovers(project);
        });
      } catch (error) {
        this.logger.error(`A push to project ${String(projectId)} cannot be settled yet`, error);
      }
    }
  }
}
