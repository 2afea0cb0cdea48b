import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { notFound } from '../../platform/errors/index.js';
import type { ProjectAccess } from '../access/index.js';
import type { User } from '../users/index.js';
import { CreateProject } from './create-project.js';
import type { CreateProjectInput } from './project-drafts.js';
import {
  type RelationsOptions,
  ProjectRelations,
  type ProjectWithRelations,
} from './project-relations.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';
import { type ProjectChanges, UpdateProject } from './update-project.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectsRepository,
    private readonly relations: ProjectRelations,
    private readonly creation: CreateProject,
    private readonly updates: UpdateProject,
  ) {}

  /**
   * @param options whose memberships and sight of the fork's source to add
   * @throws DomainError not found
   */
  async read(id: number, options: RelationsOptions): Promise<ProjectWithRelations> {
    const project = await this.projects.findById(id);
    const parts = project && (await this.relations.loadOne(project, options));
    if (parts === null) throw notFound('Project');
    return parts;
  }

  /**
   * Makes a project with its repository, or neither.
   * @throws DomainError invalid record (400), limit reached (403)
   */
  create(caller: User, input: CreateProjectInput): Promise<ProjectWithRelations> {
    return this.made(caller, () => this.creation.run(caller, input));
  }

  /**
   * Makes a project in the name of another user.
   * @throws DomainError not found (the user), invalid record (400)
   */
  createFor(
    caller: User,
    userId: number,
    input: CreateProjectInput,
  ): Promise<ProjectWithRelations> {
    return this.made(caller, () => this.creation.runFor(userId, input));
  }

  /** @throws DomainError forbidden, invalid record (400), not found */
  async update(
    caller: User,
    access: ProjectAccess,
    changes: ProjectChanges,
  ): Promise<ProjectWithRelations> {
    await this.updates.run(caller, access, changes);
    return this.read(access.project.id, { reader: caller });
  }

  /** Says that a project is archived or no longer so; also when it already is. */
  async setArchived(caller: User, id: number, archived: boolean): Promise<ProjectWithRelations> {
    await this.projects.setArchived(id, archived);
    return this.read(id, { reader: caller });
  }

  /** Reads in the unit of work: right after it somebody may delete what was made. */
  private made(reader: User, make: () => Promise<Project>): Promise<ProjectWithRelations> {
    return this.work.run(async () => this.read((await make()).id, { reader }));
  }
}
