import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, notModified } from '../../../platform/errors/index.js';
import { StarsRepository } from './stars.repository.js';

/**
 * Stars of projects. `star_count` is updated with each of them
 * (docs/reference/projects.md#activity-and-stars).
 */
@Injectable()
export class StarsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly stars: StarsRepository,
  ) {}

  /** @throws DomainError not modified (starred already), not found */
  async add(projectId: number, userId: number): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.stars.add(projectId, userId))) throw notModified();
      if (!(await this.stars.changeCount(projectId, 1))) throw notFound('Project');
    });
  }

  /** @throws DomainError not modified (not starred), not found */
  async remove(projectId: number, userId: number): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.stars.remove(projectId, userId))) throw notModified();
      if (!(await this.stars.changeCount(projectId, -1))) throw notFound('Project');
    });
  }
}
