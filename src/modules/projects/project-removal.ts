import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { notFound } from '../../platform/errors/index.js';
import { Outbox } from '../../platform/queue/index.js';
import { ProjectRemovalRepository } from './project-removal.repository.js';
import type { StoredProject } from './project-storage.js';
import { purgeProject } from './project.jobs.js';

/** Takes projects out of everybody's sight at once; background jobs remove repositories and rows. */
@Injectable()
export class ProjectRemoval {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectRemovalRepository,
    private readonly outbox: Outbox,
  ) {}

  /** @throws DomainError not found when somebody else has removed it */
  async remove(id: number): Promise<void> {
    await this.work.run(async () => {
      const hidden = await this.projects.hide(id);
      if (hidden.length === 0) throw notFound('Project');
      await this.leaveToJobs(hidden);
    });
  }

  /** All projects of a namespace, in the caller's unit of work. */
  async removeAllIn(namespaceId: number): Promise<void> {
    await this.leaveToJobs(await this.projects.hideAllIn(namespaceId));
  }

  private async leaveToJobs(hidden: readonly StoredProject[]): Promise<void> {
    await this.projects.untie(hidden.map(({ id }) => id));
    await this.outbox.addAll(
      hidden.map(({ id: projectId, storage }) => purgeProject.with({ projectId, storage })),
    );
  }
}
