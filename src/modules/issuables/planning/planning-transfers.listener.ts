import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../../../platform/events/index.js';
import { ProjectMoved, ProjectsRepository } from '../../projects/index.js';
import { PlanningTransfersRepository } from './planning-transfers.repository.js';

/** Follows the transfers of projects with their labels and milestones, in the same transaction. */
@Injectable()
export class PlanningTransfersListener {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly transfers: PlanningTransfersRepository,
  ) {}

  @OnDomainEvent(ProjectMoved)
  async follow({ projectId, from }: ProjectMoved): Promise<void> {
    const project = await this.projects.findById(projectId);
    if (project === null || project.namespaceId === from.namespaceId) return;
    const moved = { id: projectId, from: from.namespaceId, to: project.namespaceId };
    await this.transfers.lock(moved);
    await this.transfers.leave(moved);
    await this.transfers.enter(moved);
  }
}
