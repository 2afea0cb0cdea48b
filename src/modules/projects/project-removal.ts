import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { notFound } from '../../platform/errors/index.js';
import { Outbox } from '../../platform/queue/index.js';
import { DomainEvents } from '../activity/index.js';
import { UnlinkDeployKeys } from './deploy-keys/unlink-deploy-keys.js';
import { ForksDetached } from './forks/fork.events.js';
import { ProjectsRemoved } from './project.events.js';
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
    private readonly events: DomainEvents,
    private readonly deployKeys: UnlinkDeployKeys,
  ) {}

  /** @throws DomainError not found when somebody else has removed it */
  async remove(id: number, actorId: number): Promise<void> {
    await this.work.run(async () => {
      const hidden = await this.projects.hide(id);
      if (hidden.length === 0) throw notFound('Project');
      await this.detach(hidden, actorId);
    });
  }

  /** All projects of a namespace, in the caller's unit of work. */
  async removeAllIn(namespaceId: number): Promise<void> {
    await this.detach(await this.projects.hideAllIn(namespaceId), null);
  }

  private async detach(hidden: readonly StoredProject[], actorId: number | null): Promise<void> {
    if (hidden.length === 0) return;
    const ids = hidden.map(({ id }) => id);
    await this.projects.untie(ids);
    // At most 500 keys; `PurgeProject` removes the rest.
    await this.deployKeys.unlinkSomeOf(ids);
    await this.events.publish(new ForksDetached(ids, actorId));
    await this.events.publish(new ProjectsRemoved(ids));
    await this.outbox.addAll(
      hidden.map(({ id: projectId, storage }) => purgeProject.with({ projectId, storage })),
    );
  }
}
