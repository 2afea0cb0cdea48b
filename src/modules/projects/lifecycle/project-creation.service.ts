import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  assertNoErrors,
  DomainError,
  invalidRecord,
  limitReached,
  notFound,
} from '../../../platform/errors/index.js';
import { randomToken, Secrets } from '../../../platform/secrets/index.js';
import { Level } from '../../access/index.js';
import { type Activity, ActivityLog, DomainEvents } from '../../activity/index.js';
import { type Namespace, NamespacesRepository } from '../../groups/index.js';
import { type ApplicationSettings, levelOfSetting, SettingsService } from '../../settings/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import type { Project } from '../model/project.entity.js';
import { ProjectCreated } from '../model/project.events.js';
import {
  branchErrors,
  type CreateProjectInput,
  levelErrors,
  loweredVisibility,
  pathFromName,
  projectErrors,
  refuseTaken,
  takenErrors,
} from '../model/project.rules.js';
import { type NewProject, ProjectsRepository } from '../model/projects.repository.js';
import type { ProjectWithRelations } from '../presentation/project-relations.js';
import { ProjectsService } from '../projects.service.js';
import { ProjectStorage } from '../storage/project-storage.js';
import { ImportsService } from './imports/imports.service.js';

/** A project to be inserted, without the columns that the instance chooses. */
export type ProjectDraft = Omit<NewProject, 'storage' | 'runnersTokenSealed'>;

const NO_PROJECTS =
  'Personal project creation is not allowed. Please contact your administrator with questions';

/**
 * Creating projects, empty or with an import (docs/reference/projects.md#post-projects). Forks are created by the
 * same steps: `lockNamespace`, `checkQuota` and `insert`.
 */
@Injectable()
export class ProjectCreationService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectsRepository,
    private readonly projectsService: ProjectsService,
    private readonly imports: ImportsService,
    private readonly namespaces: NamespacesRepository,
    private readonly users: UsersRepository,
    private readonly settings: SettingsService,
    private readonly storage: ProjectStorage,
    private readonly secrets: Secrets,
    private readonly activity: ActivityLog,
    private readonly events: DomainEvents,
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

  /**
   * Locks the namespace of a new project to the end of the caller's unit of work, so that creations in it, quota checks
   * and its deletion run one after the other.
   * @param id the caller's personal namespace when undefined
   * @returns null when there is no such namespace, or the caller may not create projects in it
   * (docs/reference/projects.md#post-projects)
   */
  async lockNamespace(caller: User, id: number | undefined): Promise<Namespace | null> {
    const target = id ?? (await this.namespaces.findPersonal(caller.id))?.id;
    const namespace = target === undefined ? null : await this.namespaces.lock(target);
    if (namespace === null || caller.admin || namespace.ownerId === caller.id) return namespace;
    const level = await this.projects.findGroupLevel(caller.id, namespace.id);
    return level >= Level.MASTER ? namespace : null;
  }

  /**
   * Checks the caller's quota of personal projects (docs/reference/projects.md#quota). Needs the namespace lock,
   * so that two creations cannot both pass for the last free one.
   * @throws DomainError limit reached
   */
  async checkQuota(caller: User, namespace: Namespace): Promise<void> {
    if (caller.admin || namespace.ownerId !== caller.id) return;
    const limit = caller.projectsLimit;
    if ((await this.users.countPersonalProjects(caller.id)) < limit) return;
    throw limitReached(limit === 0 ? NO_PROJECTS : limitText(limit));
  }

  /**
   * Inserts a project, makes its creator a member, records the activity and creates the repository. The
   * repository is created before the commit, so a committed project always has one. After a crash in between, or when
   * the unit of work is repeated, it belongs to an ID that is never assigned again, and a daily job removes it. Needs
   * the caller's unit of work.
   */
  async insert(
    draft: ProjectDraft,
    settings: ApplicationSettings,
    action: 'created' | 'imported',
  ): Promise<Project> {
    const project = await this.projects.insert({
      ...draft,
      storage: this.storage.choose(settings.repositoryStorages),
      runnersTokenSealed: this.secrets.seal(randomToken()),
    });
    const { id: projectId, creatorId: authorId } = project;
    const activities: Activity[] = [{ projectId, authorId, action }];
    if (await this.projects.addCreator(project)) {
      activities.push({ projectId, authorId, action: 'joined' });
    }
    await this.activity.record(activities);
    await this.events.publish(new ProjectCreated(projectId));
    await this.storage.create(project, project.initialBranch);
    return project;
  }

  private createAs(
    creator: User,
    reader: User,
    input: CreateProjectInput,
  ): Promise<ProjectWithRelations> {
    const { importUrl } = input;
    const source = importUrl === undefined ? null : this.imports.parseUrl(importUrl);
    const create = async (): Promise<ProjectWithRelations> => {
      const namespace = await this.lockNamespace(creator, input.namespaceId);
      if (namespace !== null) await this.checkQuota(creator, namespace);
      const settings = await this.settings.current();
      const draft = await this.validate(creator, namespace, settings, input);
      const action = source === null ? 'created' : 'imported';
      const project = await this.insert(draft, settings, action);
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

function limitText(limit: number): string {
  return `Your project limit is ${String(limit)} projects! Please contact your administrator to increase it`;
}
