import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../audit/index.js';
import type { Visibility } from '../../../authorization/index.js';
import { onProject, visibilityChanged } from '../../model/project-records.js';
import { ForksRepository } from './forks.repository.js';

/** Lowers forks with their source (docs/reference/projects.md#visibility). */
@Injectable()
export class ForkVisibility {
  constructor(
    private readonly forks: ForksRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Lowers the forks of a project, and their forks, to its new visibility, in the unit of work that lowers the project.
   * Needs the project's lock: a fork that is being created waits for it, and then reads the visibility again.
   */
  async lowerForks(sourceId: number, visibility: Visibility): Promise<void> {
    const ids = await this.lockForks(sourceId);
    const lowered = await this.forks.lowerVisibility(ids, visibility);
    const records = lowered.map(({ id, fullPath, from }) =>
      visibilityChanged(onProject(id, fullPath), from, visibility),
    );
    await this.audit.record(...records);
  }

  /** Repeated until no fork was committed while others were waited for: then all possible sources are locked. */
  private async lockForks(sourceId: number): Promise<number[]> {
    const locked = new Set<number>();
    for (;;) {
      const ids = await this.forks.lockForksOf(sourceId);
      if (ids.every((id) => locked.has(id))) return ids;
      for (const id of ids) locked.add(id);
    }
  }
}
