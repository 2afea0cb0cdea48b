import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, notModified } from '../../../platform/errors/index.js';
import { StarsRepository } from './stars.repository.js';

/**
 * Stars on projects; `star_count` is written with each of them
 * (docs/reference/projects.md#activity-and-stars).
 */
@Injectable()
export class StarsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly stars: StarsRepository,
  ) {}

  /** @throws DomainError not modified when there is one already, not found for a deleted project */
  async add(projectId: number, userId: number): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.stars.add(projectId, userId))) throw notModified();
      if (!(await this.stars.count(projectId, 1))) throw notFound('Project');
    });
  }

  /** @throws DomainError not modified when there is none, not found for a deleted project */
  async remove(projectId: number, userId: number): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.stars.remove(projectId, userId))) throw notModified();
      if (!(await this.stars.count(projectId, -1))) throw notFound('Project');
    });
  }
}
