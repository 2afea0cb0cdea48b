import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  assertNoErrors,
  DomainError,
  invalidRecord,
  notFound,
} from '../../../../platform/errors/index.js';
import type { Namespace } from '../../../groups/index.js';
import {
  type ApplicationSettings,
  levelOfSetting,
  SettingsService,
} from '../../../settings/index.js';
import { type User, UsersRepository } from '../../../users/index.js';
import type { CreateProjectInput } from '../../model/project-input.js';
import {
  branchErrors,
  levelErrors,
  loweredVisibility,
  pathFromName,
  projectErrors,
  refuseTaken,
  takenErrors,
} from '../../model/project.rules.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import type { ProjectWithRelations } from '../../presentation/project-relations.js';
import { ProjectsService } from '../../projects.service.js';
import { ImportsService } from '../imports/imports.service.js';
import { ProjectCreationSteps, type ProjectDraft } from './project-creation-steps.js';

/** Creating projects, empty or with an import (docs/reference/projects.md#post-projects). */
@Injectable()
export class ProjectCreationService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly steps: ProjectCreationSteps,
    private readonly imports: ImportsService,
    private readonly projects: ProjectsRepository,
    private readonly projectsService: ProjectsService,
    private readonly users: UsersRepository,
    private readonly settings: SettingsService,
  ) {}

  /**
   * Creates a project with its repository.
   * @throws DomainError invalid record (400), limit reached (403)
   */
  create(caller: User, input: CreateProjectInput): Promise<ProjectWithRelations> {
    return this.createAs(caller, caller, input);
  }

  /**
   * Creates a project as another user, with that user's rights and quota.
   * @throws DomainError not found (the user), invalid record (400), also when the limit is reached
   */
  async createFor(
    caller: User,
    userId: number,
    input: CreateProjectInput,
  ): Promise<ProjectWithRelations> {
    const creator = await this.users.findById(userId);
    if (creator === null) throw notFound('User');
    try {
      return await this.createAs(creator, caller, input);
    } catch (error) {
      if (!(error instanceof DomainError) || error.detail.code !== 'limit-reached') throw error;
      throw invalidRecord({ limit_reached: error.detail.texts });
    }
  }

  private createAs(
    creator: User,
    reader: User,
    input: CreateProjectInput,
  ): Promise<ProjectWithRelations> {
    const { importUrl } = input;
    const source = importUrl === undefined ? null : this.imports.parseUrl(importUrl);
    const create = async (): Promise<ProjectWithRelations> => {
      const namespace = await this.steps.lockNamespace(creator, input.namespaceId);
      if (namespace !== null) await this.steps.checkQuota(creator, namespace);
      const settings = await this.settings.current();
      const draft = await this.validate(creator, namespace, settings, input);
      const action = source === null ? 'created' : 'imported';
      const project = await this.steps.insert(draft, settings, action);
      if (source !== null) await this.imports.begin(project, creator, source);
      // Within the unit of work, since another request may delete the project right after the commit.
      return this.projectsService.read(project.id, { reader });
    };
    return refuseTaken(() => this.work.run(create));
  }

  /** @throws DomainError invalid record: every field that breaks a rule of docs/reference/projects.md#names */
  private async validate(
    creator: User,
    namespace: Namespace | null,
    settings: ApplicationSettings,
    input: CreateProjectInput,
  ): Promise<ProjectDraft> {
    const texts = {
      name: input.name,
      path: input.path ?? pathFromName(input.name),
      description: input.description ?? null,
    };
    const errors = {
      ...projectErrors(texts),
      ...(input.initialBranch === undefined ? {} : branchErrors(input.initialBranch)),
    };
    if (namespace === null) throw invalidRecord({ ...errors, namespace: ['is not valid'] });
    const limits = { caller: creator, namespace, settings };
    assertNoErrors({
      ...errors,
      ...takenErrors(await this.projects.findTaken(namespace.id, texts)),
      ...levelErrors(input.visibilityLevel, limits),
    });
    const defaultLevel = levelOfSetting(settings.defaultProjectVisibility);
    return {
      ...texts,
      ...input.switches,
      namespaceId: namespace.id,
      creatorId: creator.id,
      visibilityLevel: input.visibilityLevel ?? loweredVisibility(defaultLevel, limits),
      initialBranch: input.initialBranch ?? null,
    };
  }
}
