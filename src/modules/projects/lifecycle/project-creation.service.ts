import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  assertValid,
  DomainError,
  invalidFields,
  notFound,
} from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import { randomToken, Secrets } from '../../../platform/secrets/index.js';
import { Level } from '../../authorization/index.js';
import { type Activity, ActivityLog } from '../../activity/index.js';
import { type Namespace, NamespacesRepository } from '../../groups/index.js';
import { type ApplicationSettings, SettingsService } from '../../settings/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import type { Project } from '../model/project.entity.js';
import { ProjectCreated } from '../model/project.events.js';
import {
  branchProblems,
  type CreateProjectInput,
  loweredVisibility,
  pathFromName,
  projectProblems,
  refuseTaken,
  takenFields,
  takenProblems,
  topicProblems,
  visibilityFieldProblems,
} from '../model/project.rules.js';
import { type NewProject, ProjectsRepository } from '../model/projects.repository.js';
import type { ProjectWithRelations } from '../model/project-relations.js';
import { ProjectsService } from '../projects.service.js';
import { TopicsRepository } from '../topics/topics.repository.js';
import { FirstCommits } from './first-commits.js';
import { ImportsService } from './imports/imports.service.js';

/** A project to be inserted, without the columns that the instance chooses. */
export type ProjectDraft = Omit<NewProject, 'storage' | 'runnersTokenSealed'>;

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
    private readonly firstCommits: FirstCommits,
    private readonly namespaces: NamespacesRepository,
    private readonly users: UsersRepository,
    private readonly topics: TopicsRepository,
    private readonly settings: SettingsService,
    private readonly storage: ProjectStorage,
    private readonly secrets: Secrets,
    private readonly activity: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Creates a project with its repository.
   * @throws DomainError invalid fields, project limit reached
   */
  create(caller: User, input: CreateProjectInput): Promise<ProjectWithRelations> {
    return this.createAs(caller, caller, input);
  }

  /**
   * Creates a project as another user, with that user's rights and quota.
   * @throws DomainError not found (the user), invalid fields, project limit reached
   */
  async createFor(
    caller: User,
    userId: number,
    input: CreateProjectInput,
  ): Promise<ProjectWithRelations> {
    const creator = await this.users.findById(userId);
    if (creator === null) throw notFound('user');
    return this.createAs(creator, caller, input);
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
    return namespace !== null && (await this.mayCreateIn(caller, namespace)) ? namespace : null;
  }

  /** Whether a user may have projects in a namespace: their own one, a group with level master; administrators in all. */
  async mayCreateIn(caller: User, { id, ownerId }: Namespace): Promise<boolean> {
    if (caller.admin || ownerId === caller.id) return true;
    return (await this.projects.findGroupLevel(caller.id, id)) >= Level.MASTER;
  }

  /**
   * Checks a user's quota of personal projects (docs/reference/projects.md#quota). Needs the namespace lock,
   * so that two creations cannot both pass for the last free one.
   * @throws DomainError project limit reached
   */
  async checkQuota(creator: User, namespace: Namespace, caller: User): Promise<void> {
    if (creator.admin || namespace.ownerId !== creator.id) return;
    const limit = creator.projectsLimit;
    if ((await this.users.countPersonalProjects(creator.id)) < limit) return;
    const isCallers = creator.id === caller.id;
    throw new DomainError({ code: 'project-limit-reached', limit, isCallers });
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

  private async createAs(
    creator: User,
    reader: User,
    input: CreateProjectInput,
  ): Promise<ProjectWithRelations> {
    const { importUrl } = input;
    const source = importUrl === undefined ? null : this.imports.parseUrl(importUrl);
    const withReadme = source === null && input.withReadme === true;
    const create = async (): Promise<ProjectWithRelations> => {
      const namespace = await this.lockNamespace(creator, input.namespaceId);
      if (namespace !== null) await this.checkQuota(creator, namespace, reader);
      const settings = await this.settings.current();
      const draft = await this.validate(creator, namespace, settings, input);
      const action = source === null ? 'created' : 'imported';
      const project = await this.insert(draft, settings, action);
      if (source !== null) await this.imports.begin(project, creator, source);
      if (withReadme) await this.firstCommits.scheduleReadme(project.id, creator.id);
      // Within the unit of work, since another request may delete the project right after the commit.
      return this.projectsService.read(project.id, { reader });
    };
    const created = await refuseTaken(() => this.work.run(create));
    if (!withReadme) return created;
    const { id } = created.project;
    await this.firstCommits.tryReadmeNow(id, creator.id);
    return (await this.projectsService.find(id, { reader })) ?? created;
  }

  /**
   * Makes the draft of a project, and the topics that it is the first to have.
   * @throws DomainError invalid fields: every field that breaks a rule of docs/reference/projects.md#names */
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
    const problems = {
      ...projectProblems(texts),
      ...topicProblems(input.topics),
      ...(input.initialBranch === undefined ? {} : branchProblems(input.initialBranch)),
    };
    if (namespace === null) {
      throw invalidFields({ ...problems, namespace: [{ rule: 'no-namespace' }] });
    }
    const limits = { caller: creator, namespace, settings };
    assertValid({
      ...problems,
      ...takenProblems(takenFields(await this.projects.findTaken(namespace.id, texts))),
      ...visibilityFieldProblems(input.visibility, limits),
    });
    return {
      ...texts,
      ...input.switches,
      topics: await this.topics.ensure(input.topics ?? []),
      namespaceId: namespace.id,
      creatorId: creator.id,
      visibility: input.visibility ?? loweredVisibility(settings.defaultProjectVisibility, limits),
      initialBranch: input.initialBranch ?? null,
    };
  }
}
