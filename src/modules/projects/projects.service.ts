import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../platform/database/index.js';
import { invalidRecord, notFound } from '../../platform/errors/index.js';
import { mapPage, type Page, type PageRequest } from '../../platform/http/index.js';
import { Outbox } from '../../platform/queue/index.js';
import type { ProjectRef } from '../access/index.js';
import type { User } from '../users/index.js';
import { CreateProject } from './create-project.js';
import type { CreateProjectInput } from './project-drafts.js';
import { purgeProject } from './project.jobs.js';
import type { ProjectWithParts } from './project.presenter.js';
import { ProjectsRepository } from './projects.repository.js';

/** Unique indexes that say that a name or path is taken in its namespace. */
const TAKEN = new Set(['projects_path_key', 'projects_name_key']);

@Injectable()
export class ProjectsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectsRepository,
    private readonly creation: CreateProject,
    private readonly outbox: Outbox,
  ) {}

  /** The projects the caller is a member of. */
  async list(caller: User, request: PageRequest): Promise<Page<ProjectWithParts>> {
    const page = await this.projects.listForMember(caller.id, request);
    const items = await this.projects.withParts(page.items, caller.id);
    return mapPage(page, (_, index) => items[index] as ProjectWithParts);
  }

  /** @param caller whose membership to add, null for nobody's */
  async read(caller: User | null, id: number): Promise<ProjectWithParts> {
    const project = await this.projects.findById(id);
    if (project === null) throw notFound('Project');
    const [parts] = await this.projects.withParts([project], caller?.id);
    return parts as ProjectWithParts;
  }

  /**
   * Makes a project with its repository, or neither.
   * @throws DomainError invalid record (400), limit reached (403)
   */
  async create(caller: User, input: CreateProjectInput): Promise<ProjectWithParts> {
    try {
      const { id } = await this.creation.run(caller, input);
      return await this.read(null, id);
    } catch (error) {
      if (!TAKEN.has(violatedUnique(error) ?? '')) throw error;
      const taken = ['has already been taken'];
      throw invalidRecord({ name: taken, path: taken });
    }
  }

  /** Hides the project at once; a background job removes its repository and rows. */
  async delete(project: ProjectRef): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.projects.markDeleted(project.id))) throw notFound('Project');
      const { id: projectId, storage } = project;
      await this.outbox.add(purgeProject.with({ projectId, storage }));
    });
  }
}
