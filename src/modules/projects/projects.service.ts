import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, TAG_PREFIX } from '../../git/index.js';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  DomainError,
  type FieldTexts,
  forbidden,
  invalidRecord,
  notFound,
} from '../../platform/errors/index.js';
import { Outbox } from '../../platform/queue/index.js';
import { allows, type ProjectAccess } from '../access/index.js';
import { DomainEvents, OnDomainEvent } from '../activity/index.js';
import { type Namespace, NamespaceDeleted, NamespacesRepository } from '../groups/index.js';
import { type ApplicationSettings, levelOfSetting, SettingsService } from '../settings/index.js';
import { type User, UsersRepository } from '../users/index.js';
import { DeployKeysService } from './access/deploy-keys/deploy-keys.service.js';
import { ImportsService } from './lifecycle/imports/imports.service.js';
import { ProjectDeletionRepository } from './lifecycle/deletion/project-deletion.repository.js';
import { purgeProject } from './lifecycle/deletion/purge-project.job.js';
import {
  ProjectRelations,
  type ProjectWithRelations,
  type RelationsOptions,
} from './presentation/project-relations.js';
import { ProjectCreation, type ProjectDraft } from './lifecycle/project-creation.js';
import type { Project } from './model/project.entity.js';
import { ForksDetached, ProjectMoved, ProjectsRemoved } from './model/project.events.js';
import {
  branchErrors,
  loweredVisibility,
  pathFromName,
  projectErrors,
  takenErrors,
  takenFieldsOf,
  visibilityErrors,
  type VisibilityLimits,
} from './model/project.rules.js';
import { ProjectsRepository } from './model/projects.repository.js';
import { PointHeadJob } from './storage/point-head.job.js';
import { ProjectStorage, type StoredProject } from './storage/project-storage.js';
import { RepositoryLocks } from './storage/repository-locks.repository.js';

export type ProjectSwitches = Pick<
  Project,
  | 'issuesEnabled'
  | 'mergeRequestsEnabled'
  | 'wikiEnabled'
  | 'buildsEnabled'
  | 'snippetsEnabled'
  | 'containerRegistryEnabled'
  | 'sharedRunnersEnabled'
  | 'publicBuilds'
  | 'lfsEnabled'
  | 'requestAccessEnabled'
  | 'onlyAllowMergeIfBuildSucceeds'
  | 'onlyAllowMergeIfAllDiscussionsAreResolved'
>;

/** The fields that creating and updating a project share. */
export interface ProjectSettings {
  description?: string | null | undefined;
  visibilityLevel?: number | undefined;
  /** The address to copy the repository from. */
  importUrl?: string | undefined;
  switches: Partial<ProjectSwitches>;
}

export interface CreateProjectInput extends ProjectSettings {
  name: string;
  /** Made from the name when undefined. */
  path?: string | undefined;
  /** The caller's personal namespace when undefined. */
  namespaceId?: number | undefined;
  /** The branch that the first commit makes the default one; `master` when undefined. */
  initialBranch?: string | undefined;
}

export interface ProjectChanges extends ProjectSettings {
  name?: string | undefined;
  path?: string | undefined;
  defaultBranch?: string | undefined;
}

/** Projects. The rules are those of docs/reference/projects.md. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectsRepository,
    private readonly relations: ProjectRelations,
    private readonly creation: ProjectCreation,
    private readonly deletions: ProjectDeletionRepository,
    private readonly imports: ImportsService,
    private readonly deployKeys: DeployKeysService,
    private readonly storage: ProjectStorage,
    private readonly locks: RepositoryLocks,
    private readonly head: PointHeadJob,
    private readonly namespaces: NamespacesRepository,
    private readonly users: UsersRepository,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Reads a project with its relations, as the reader sees them.
   * @throws DomainError not found
   */
  async read(id: number, options: RelationsOptions): Promise<ProjectWithRelations> {
    const project = await this.projects.findById(id);
    const loaded = project && (await this.relations.loadOne(project, options));
    if (loaded === null) throw notFound('Project');
    return loaded;
  }

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
   * Updates all given fields of a project, or none (docs/reference/projects.md#put-projectsid).
   * @throws DomainError forbidden, invalid record (400), not found
   */
  async update(
    caller: User,
    access: ProjectAccess,
    changes: ProjectChanges,
  ): Promise<ProjectWithRelations> {
    const { id } = access.project;
    await this.writeUnique(() => this.applyChanges(caller, access, changes));
    if (newDefaultBranch(access, changes) !== undefined) await this.head.tryNow(id);
    return this.read(id, { reader: caller });
  }

  /** Archives or unarchives a project. */
  async setArchived(caller: User, id: number, archived: boolean): Promise<ProjectWithRelations> {
    await this.projects.setArchived(id, archived);
    return this.read(id, { reader: caller });
  }

  /**
   * Deletes a project: hides it at once, and leaves its repository and rows to a job.
   * @throws DomainError not found when it is deleted already
   */
  delete(id: number, actorId: number): Promise<void> {
    return this.work.run(async () => {
      const project = await this.deletions.hide(id);
      if (project === null) throw notFound('Project');
      await this.finishDeletion([project], actorId);
    });
  }

  /** Deletes the projects of a deleted namespace, in the same unit of work. */
  @OnDomainEvent(NamespaceDeleted)
  async deleteAllInNamespace({ namespaceId }: NamespaceDeleted): Promise<void> {
    const projects = await this.deletions.hideAllIn(namespaceId);
    if (projects.length > 0) await this.finishDeletion(projects, null);
  }

  private createAs(
    creator: User,
    reader: User,
    input: CreateProjectInput,
  ): Promise<ProjectWithRelations> {
    const { importUrl } = input;
    const source = importUrl === undefined ? null : this.imports.parseUrl(importUrl);
    return this.writeUnique(async () => {
      const namespace = await this.creation.lockNamespace(creator, input.namespaceId);
      if (namespace !== null) await this.creation.checkQuota(creator, namespace);
      const settings = await this.settings.current();
      const draft = await this.validate(creator, namespace, settings, input);
      const action = source === null ? 'created' : 'imported';
      const project = await this.creation.insert(draft, settings, action);
      if (source !== null) await this.imports.begin(project, creator, source);
      // Within the unit of work, since another request may delete the project right after the commit.
      return this.read(project.id, { reader });
    });
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
    refuse({
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

  /** Takes the locks in their order: repository, namespace, project (docs/lock-order.md#notes). */
  private async applyChanges(
    caller: User,
    access: ProjectAccess,
    changes: ProjectChanges,
  ): Promise<void> {
    const { id, namespaceId } = access.project;
    const { importUrl } = changes;
    const branch = newDefaultBranch(access, changes);
    const source = importUrl === undefined ? null : this.imports.parseUrl(importUrl);
    if (branch !== undefined || source !== null) await this.locks.take(id);
    const namespace = await this.lockNamespace(namespaceId, changes);
    const project = await this.projects.lock(id);
    if (project === null) throw notFound('Project');
    const values = changedValues(project, changes);
    const isRename = 'name' in values || 'visibilityLevel' in values;
    if (isRename && !allows(access, 'project:rename')) throw forbidden();
    const planned = branch === undefined ? null : await this.planDefaultBranch(project, branch);
    refuse({
      ...(await this.changeErrors(caller, project, values, namespace)),
      ...planned?.errors,
      ...(source === null ? {} : await this.importErrors(project)),
    });
    await this.projects.update(id, { ...values, ...planned?.values });
    if (values.path !== undefined) {
      const from = { namespaceId: project.namespaceId, path: project.path };
      await this.events.publish(new ProjectMoved(id, from));
    }
    if (planned !== null) await this.head.schedule(id);
    if (source !== null) await this.imports.restart(project, caller, source);
  }

  /** Locks a project's namespace if the changes depend on it, else returns null. */
  private async lockNamespace(
    id: number,
    { name, path, visibilityLevel }: Pick<ProjectChanges, 'name' | 'path' | 'visibilityLevel'>,
  ): Promise<Namespace | null> {
    if ([name, path, visibilityLevel].every((value) => value === undefined)) return null;
    const namespace = await this.namespaces.lock(id);
    if (namespace === null) throw notFound('Project');
    return namespace;
  }

  /** @param locked the namespace of the project before its own row was locked */
  private async changeErrors(
    caller: User,
    project: Project,
    values: Partial<Project>,
    locked: Namespace | null,
  ): Promise<FieldTexts> {
    const errors = Object.fromEntries(
      Object.entries(projectErrors({ ...project, ...values })).filter(([field]) => field in values),
    );
    // The project may have been transferred in between.
    const isLocked = project.namespaceId === locked?.id;
    const namespace = isLocked ? locked : await this.lockNamespace(project.namespaceId, values);
    if (namespace === null) return errors;
    const level = await this.visibilityChangeErrors(caller, project, values, namespace);
    const { name, path } = values;
    const taken = await this.projects.findTaken(namespace.id, { id: project.id, name, path });
    return { ...errors, ...takenErrors(taken), ...level };
  }

  private async visibilityChangeErrors(
    caller: User,
    { id }: Project,
    { visibilityLevel }: Partial<Project>,
    namespace: Namespace,
  ): Promise<FieldTexts> {
    if (visibilityLevel === undefined) return {};
    return levelErrors(visibilityLevel, {
      caller,
      namespace,
      settings: await this.settings.current(),
      sourceLevel: await this.projects.findSourceVisibility(id),
    });
  }

  /**
   * Plans a new default branch, which has to exist. In an empty repository it is the branch that the first commit
   * creates.
   */
  private async planDefaultBranch(
    project: Project,
    branch: string,
  ): Promise<{ errors: FieldTexts; values: Partial<Project> }> {
    const repository = this.storage.repository(project);
    if (project.defaultBranch === null && (await repository.isEmpty())) {
      return { errors: branchErrors(branch), values: { initialBranch: branch } };
    }
    const exists = (await repository.refs.get(BRANCH_PREFIX + branch)) !== null;
    const errors = exists ? {} : { default_branch: ['does not exist'] };
    // Without a default branch the first push is not settled yet, which will set and protect it.
    const field = project.defaultBranch === null ? 'initialBranch' : 'defaultBranch';
    return { errors, values: { [field]: branch } };
  }

  /** Refuses an import into a repository that is not empty. Needs the push lock. */
  private async importErrors(project: Project): Promise<FieldTexts> {
    const repository = this.storage.repository(project);
    const isEmpty =
      (await repository.isEmpty()) && (await repository.refs.list(TAG_PREFIX)).length === 0;
    if (project.repositoryState === 'ready' && isEmpty) return {};
    return { import_url: ['is not allowed unless the repository is empty'] };
  }

  private async finishDeletion(
    hidden: readonly StoredProject[],
    actorId: number | null,
  ): Promise<void> {
    const ids = hidden.map(({ id }) => id);
    await this.deletions.detachForks(ids);
    // At most 500 keys; `PurgeProjectJob` unlinks the rest.
    await this.deployKeys.unlinkSomeOf(ids);
    await this.events.publish(new ForksDetached(ids, actorId));
    await this.events.publish(new ProjectsRemoved(ids));
    await this.outbox.addAll(
      hidden.map(({ id: projectId, storage }) => purgeProject.with({ projectId, storage })),
    );
  }

  /** Runs a unit of work in which the unique indexes decide who gets a name or path. */
  private async writeUnique<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.work.run(work);
    } catch (error) {
      const taken = takenFieldsOf(error);
      throw taken === null ? error : invalidRecord(taken);
    }
  }
}

/** @throws DomainError invalid record, when there is any error */
function refuse(errors: FieldTexts): void {
  if (Object.keys(errors).length > 0) throw invalidRecord(errors);
}

function levelErrors(level: number | undefined, limits: VisibilityLimits): FieldTexts {
  const errors = level === undefined ? [] : visibilityErrors(level, limits);
  return errors.length === 0 ? {} : { visibility_level: errors };
}

/** Returns the branch to make the default one, undefined when it is the default one already. */
function newDefaultBranch({ project }: ProjectAccess, changes: ProjectChanges): string | undefined {
  const { defaultBranch } = changes;
  return defaultBranch === project.defaultBranch ? undefined : defaultBranch;
}

/** Returns the values that differ: clients send back what they have read. */
function changedValues(project: Project, changes: ProjectChanges): Partial<Project> {
  const { name, path, description, visibilityLevel, switches } = changes;
  const wanted = Object.entries({ name, path, description, visibilityLevel, ...switches });
  return Object.fromEntries(
    wanted.filter(([key, value]) => value !== undefined && value !== project[key as keyof Project]),
  );
}
