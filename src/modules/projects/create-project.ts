import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { DomainError, invalidRecord, notFound } from '../../platform/errors/index.js';
import { type User, UsersRepository } from '../users/index.js';
import { ProjectImports } from './imports/project-imports.js';
import { type CreateProjectInput, ProjectDrafts } from './project-drafts.js';
import { ProjectFounding } from './project-founding.js';
import type { Project } from './project.entity.js';
import { takenFieldsOf } from './taken-name.js';

/** Makes a project and its repository, or neither (docs/reference/projects.md#post-projects). */
@Injectable()
export class CreateProject {
  constructor(
    private readonly work: UnitOfWork,
    private readonly drafts: ProjectDrafts,
    private readonly founding: ProjectFounding,
    private readonly imports: ProjectImports,
    private readonly users: UsersRepository,
  ) {}

  /** @throws DomainError invalid record (400), limit reached (403) */
  async run(caller: User, input: CreateProjectInput): Promise<Project> {
    const source = input.importUrl === undefined ? null : this.imports.parse(input.importUrl);
    try {
      return await this.work.run(async () => {
        const draft = await this.drafts.prepare(caller, input);
        const project = await this.founding.found(draft, source ? 'imported' : 'created');
        if (source !== null) await this.imports.begin(project, caller, source);
        return project;
      });
    } catch (error) {
      const taken = takenFieldsOf(error);
      throw taken === null ? error : invalidRecord(taken);
    }
  }

  /**
   * Makes a project in the name of somebody else, by whose rights and quota it goes
   * (docs/reference/projects.md#post-projects).
   * @throws DomainError not found (the user), invalid record (400), also where the limit is reached
   */
  async runFor(userId: number, input: CreateProjectInput): Promise<Project> {
    const owner = await this.users.findById(userId);
    if (owner === null) throw notFound('User');
    try {
      return await this.run(owner, input);
    } catch (error) {
      if (!(error instanceof DomainError) || error.detail.code !== 'limit-reached') throw error;
      throw invalidRecord({ limit_reached: error.detail.texts });
    }
  }
}
