import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../activity/index.js';
import type { Project } from './project.entity.js';
import { ProjectMoved } from './project.events.js';
import { ProjectsRepository } from './projects.repository.js';

/** Writes changes of projects, and tells the rooms above where one has another path then. */
@Injectable()
export class ProjectWrites {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly events: DomainEvents,
  ) {}

  /** The project, which nobody else changes before the unit of work is over; null when it is gone. */
  lock(id: number): Promise<Project | null> {
    return this.projects.lock(id);
  }

  /** Changes what is given of a locked project. */
  async update({ id, namespaceId, path }: Project, changes: Partial<Project>): Promise<void> {
    await this.projects.update(id, changes);
    if (changes.path === undefined) return;
    await this.events.publish(new ProjectMoved(id, { namespaceId, path }));
  }
}
