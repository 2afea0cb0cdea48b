import { Injectable } from '@nestjs/common';
import { type Activity, ActivityLog, DomainEvents } from '../activity/index.js';
import { ProjectStorage } from './project-storage.js';
import type { Project } from './project.entity.js';
import { ProjectCreated } from './project.events.js';
import { type NewProject, ProjectsRepository } from './projects.repository.js';

/** Brings a project into being, in the caller's unit of work: row, creator, activity, repository. */
@Injectable()
export class ProjectFounding {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly activity: ActivityLog,
    private readonly storage: ProjectStorage,
    private readonly events: DomainEvents,
  ) {}

  /**
   * The repository comes into being before the commit, so a committed project always has one. What
   * a crash in between leaves on the disk belongs to an ID that is never given out again; the
   * sweep of orphaned repositories removes it.
   */
  async found(draft: NewProject, action: 'created' | 'imported'): Promise<Project> {
    const project = await this.projects.insert(draft);
    const by = { projectId: project.id, authorId: project.creatorId };
    const activities: Activity[] = [{ ...by, action }];
    if (await this.projects.addCreator(project)) activities.push({ ...by, action: 'joined' });
    await this.activity.record(activities);
    await this.events.publish(new ProjectCreated(project.id));
    await this.storage.create(project, project.initialBranch);
    return project;
  }
}
