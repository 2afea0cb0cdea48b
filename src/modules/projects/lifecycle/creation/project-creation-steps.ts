import { Injectable } from '@nestjs/common';
import { limitReached } from '../../../../platform/errors/index.js';
import { randomToken, Secrets } from '../../../../platform/secrets/index.js';
import { Level } from '../../../access/index.js';
import { type Activity, ActivityLog, DomainEvents } from '../../../activity/index.js';
import { type Namespace, NamespacesRepository } from '../../../groups/index.js';
import type { ApplicationSettings } from '../../../settings/index.js';
import { type User, UsersRepository } from '../../../users/index.js';
import type { Project } from '../../model/project.entity.js';
import { ProjectCreated } from '../../model/project.events.js';
import { type NewProject, ProjectsRepository } from '../../model/projects.repository.js';
import { ProjectStorage } from '../../storage/project-storage.js';

/** A project to be inserted, without the columns that the instance chooses. */
export type ProjectDraft = Omit<NewProject, 'storage' | 'runnersTokenSealed'>;

const NO_PROJECTS =
  'Personal project creation is not allowed. Please contact your administrator with questions';

/** The steps that creating and forking a project share. Each needs the caller's unit of work. */
@Injectable()
export class ProjectCreationSteps {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly users: UsersRepository,
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
    private readonly secrets: Secrets,
    private readonly activity: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Locks the namespace of a new project to the end of the unit of work, so that creations in it, quota checks
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
   * repository is created before the commit, so a committed project always has one. After a crash in between
   * it belongs to an ID that is never assigned again, and a daily job removes it.
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
}

function limitText(limit: number): string {
  return `Your project limit is ${String(limit)} projects! Please contact your administrator to increase it`;
}
