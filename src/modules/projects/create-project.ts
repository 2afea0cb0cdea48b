import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { Level } from '../access/index.js';
import { ActivityLog } from '../activity/index.js';
import type { User } from '../users/index.js';
import { type CreateProjectInput, ProjectDrafts } from './project-drafts.js';
import { ProjectStorage } from './project-storage.js';
import type { Project } from './project.entity.js';
import { type NewProject, ProjectsRepository } from './projects.repository.js';

/** Makes a project and its repository, or neither (specification 4.4). */
@Injectable()
export class CreateProject {
  constructor(
    private readonly work: UnitOfWork,
    private readonly drafts: ProjectDrafts,
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
    private readonly activity: ActivityLog,
  ) {}

  async run(caller: User, input: CreateProjectInput): Promise<Project> {
    const draft = await this.drafts.prepare(caller, input);
    return this.work.run(() => this.insert(caller, draft));
  }

  /**
   * The repository comes into being before the commit, so a committed project always has one. What
   * a crash in between leaves on the disk belongs to an ID that is never given out again; the
   * sweep of orphaned repositories removes it.
   */
  private async insert(caller: User, draft: NewProject): Promise<Project> {
    await this.projects.lockNamespace(draft.namespaceId);
    await this.drafts.checkQuota(caller, draft);
    const project = await this.projects.insert(draft);
    await this.projects.addMember(project.id, caller.id, Level.MASTER);
    await this.activity.record([{ projectId: project.id, authorId: caller.id, action: 'created' }]);
    await this.storage.create(project);
    return project;
  }
}
