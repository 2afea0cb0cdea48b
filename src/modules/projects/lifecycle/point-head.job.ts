import { Injectable, Logger } from '@nestjs/common';
import { defineJob, HandlesJob, type JobHandler, Outbox } from '../../../platform/queue/index.js';
import type { Project } from '../model/project.entity.js';
import { CONVENTIONAL_BRANCH } from '../model/project.rules.js';
import { ProjectsRepository } from '../model/projects.repository.js';
import { ProjectStorage, PushLock } from '../../storage/index.js';

type DefaultBranches = Pick<Project, 'defaultBranch' | 'initialBranch'>;

interface PointHeadPayload {
  projectId: number;
}

/** Points HEAD of a repository at the project's default branch. */
const pointHead = defineJob<PointHeadPayload>('projects', 'point-head', {
  timeLimitMs: 5 * 60_000,
});

/** Points HEAD of a repository at the default branch that its project has in the database. */
@Injectable()
@HandlesJob(pointHead)
export class PointHeadJob implements JobHandler<PointHeadPayload> {
  private readonly logger = new Logger(PointHeadJob.name);

  constructor(
    private readonly pushLock: PushLock,
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
    private readonly outbox: Outbox,
  ) {}

  /** Schedules the job in the unit of work that changes the branch, so that HEAD follows even after a crash. */
  async schedule(projectId: number): Promise<void> {
    await this.outbox.add(pointHead.with({ projectId }));
  }

  /**
   * Runs right after that unit of work, before the response. Never fails: the scheduled job follows.
   * @param userId who waits for it; null in a job
   */
  async tryNow(projectId: number, userId: number | null): Promise<void> {
    try {
      await this.holdAndPoint(projectId, userId);
    } catch (error) {
      this.logger.warn(`HEAD of project ${String(projectId)} follows later`, error);
    }
  }

  /** The branch that HEAD of a project has to point at. */
  branchOf({ defaultBranch, initialBranch }: DefaultBranches): string {
    return defaultBranch ?? initialBranch ?? CONVENTIONAL_BRANCH;
  }

  async handle({ projectId }: PointHeadPayload): Promise<void> {
    await this.holdAndPoint(projectId, null);
  }

  private holdAndPoint(projectId: number, userId: number | null): Promise<void> {
    return this.pushLock.hold({ projectIds: [projectId], userId }, () => this.point(projectId));
  }

  private async point(projectId: number): Promise<void> {
    const project = await this.projects.findById(projectId);
    if (project === null) return;
    const branch = this.branchOf(project);
    const { refs } = this.storage.repository(project);
    if ((await refs.head()) === branch) return;
    await refs.removeStaleLocks(['HEAD']);
    await refs.setHead(branch);
  }
}
