import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, TAG_PREFIX } from '../../git/index.js';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  assertValid,
  type FieldProblems,
  forbidden,
  notFound,
  notModified,
} from '../../platform/errors/index.js';
import { DomainEvents } from '../../platform/events/index.js';
import {
  allows,
  isMoreVisible,
  type ProjectAccess,
  type ProjectRef,
} from '../authorization/index.js';
import { AuditLog, type AuditRecord } from '../audit/index.js';
import { type Namespace, NamespacesRepository } from '../groups/index.js';
import { SettingsService } from '../settings/index.js';
import { ProjectStorage, PushLock } from '../storage/index.js';
import type { User } from '../users/index.js';
import { ForkVisibility } from './lifecycle/forks/fork-visibility.js';
import { ImportsService } from './lifecycle/imports/imports.service.js';
import type { Project } from './model/project.entity.js';
import {
  branchProblems,
  type ProjectChanges,
  projectProblems,
  refuseTaken,
  takenFields,
  takenProblems,
  topicProblems,
  visibilityFieldProblems,
} from './model/project.rules.js';
import { ProjectMoved } from './model/project.events.js';
import { onProject, visibilityChanged } from './model/project-records.js';
import { ProjectsRepository } from './model/projects.repository.js';
import {
  ProjectRelations,
  type ProjectWithRelations,
  type RelationsOptions,
} from './model/project-relations.js';
import { PointHeadJob } from './lifecycle/point-head.job.js';
import { TopicsRepository } from './topics/topics.repository.js';

/** Reading and changing projects. The rules are those of docs/reference/projects.md. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectsRepository,
    private readonly relations: ProjectRelations,
    private readonly imports: ImportsService,
    private readonly forks: ForkVisibility,
    private readonly storage: ProjectStorage,
    private readonly pushLock: PushLock,
    private readonly head: PointHeadJob,
    private readonly namespaces: NamespacesRepository,
    private readonly topics: TopicsRepository,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Reads a project with its relations, as the reader sees them.
   * @throws DomainError not found
   */
  async read(id: number, options: RelationsOptions): Promise<ProjectWithRelations> {
    const loaded = await this.find(id, options);
    if (loaded === null) throw notFound('project');
    return loaded;
  }

  /** Does the same; null for a project that is deleted. */
  find(id: number, options: RelationsOptions): Promise<ProjectWithRelations | null> {
    return this.relations.loadOne(id, options);
  }

  /**
   * Updates all given fields of a project, or none (docs/reference/projects.md#put-projectsid).
   * @throws DomainError forbidden, invalid fields, not found
   */
  async update(
    caller: User,
    access: ProjectAccess,
    changes: ProjectChanges,
  ): Promise<ProjectWithRelations> {
    const { id } = access.project;
    const branch = newDefaultBranch(access, changes);
    const change = () => this.applyChanges(caller, access, changes);
    const touchesRepository = branch !== undefined || changes.importUrl !== undefined;
    await refuseTaken(() =>
      touchesRepository
        ? this.pushLock.hold({ projectIds: [id], userId: caller.id }, change)
        : this.work.run(change),
    );
    if (branch !== undefined) await this.head.tryNow(id, caller.id);
    return this.read(id, { reader: caller });
  }

  /** Archives or unarchives a project. */
  async setArchived(
    caller: User,
    { id, path, namespacePath }: ProjectRef,
    archived: boolean,
  ): Promise<ProjectWithRelations> {
    await this.work.run(async () => {
      if (!(await this.projects.setArchived(id, archived))) return;
      const action = archived ? 'project.archived' : 'project.unarchived';
      await this.audit.record({ action, ...onProject(id, `${namespacePath}/${path}`) });
    });
    return this.read(id, { reader: caller });
  }

  /**
   * Stars a project. `star_count` is updated with each star (docs/reference/projects.md#activity-and-stars).
   * @throws DomainError not modified (starred already), not found
   */
  async star(caller: User, id: number): Promise<ProjectWithRelations> {
    await this.work.run(async () => {
      if (!(await this.projects.addStar(id, caller.id))) throw notModified();
      if (!(await this.projects.changeStarCount(id, 1))) throw notFound('project');
    });
    return this.read(id, { reader: caller });
  }

  /**
   * Removes the caller's star.
   * @throws DomainError not modified (not starred), not found
   */
  async unstar(caller: User, id: number): Promise<ProjectWithRelations> {
    await this.work.run(async () => {
      if (!(await this.projects.removeStar(id, caller.id))) throw notModified();
      if (!(await this.projects.changeStarCount(id, -1))) throw notFound('project');
    });
    return this.read(id, { reader: caller });
  }

  /**
   * Takes the locks in their order: namespace, project, its forks (docs/lock-order.md#notes). A change of the default branch or
   * the import address requires the push lock.
   */
  private async applyChanges(
    caller: User,
    access: ProjectAccess,
    changes: ProjectChanges,
  ): Promise<void> {
    const { id, namespaceId } = access.project;
    const { importUrl } = changes;
    const branch = newDefaultBranch(access, changes);
    const source = importUrl === undefined ? null : this.imports.parseUrl(importUrl);
    const namespace = await this.lockNamespace(namespaceId, changes);
    const project = await this.projects.lock(id);
    if (project === null) throw notFound('project');
    const values = changedValues(project, changes);
    const isRename = 'name' in values || 'visibility' in values;
    if (isRename && !allows(access, 'project:rename')) throw forbidden();
    const planned = branch === undefined ? null : await this.planDefaultBranch(project, branch);
    assertValid({
      ...topicProblems(changes.topics),
      ...(await this.changeProblems(caller, project, values, namespace)),
      ...planned?.problems,
      ...(source === null ? {} : await this.importProblems(project)),
    });
    const topics = await this.changedTopics(project, changes);
    await this.projects.update(id, { ...values, ...topics, ...planned?.values });
    if (values.path !== undefined) {
      const from = { namespaceId: project.namespaceId, path: project.path };
      await this.events.publish(new ProjectMoved(id, from));
    }
    await this.audit.record(...changeRecords(access.project, project, values));
    const { visibility = project.visibility } = values;
    if (isMoreVisible(project.visibility, visibility)) {
      await this.forks.lowerForks(id, visibility);
    }
    if (planned !== null) await this.head.schedule(id);
    if (source !== null) await this.imports.restart(project, caller, source);
  }

  /** Returns the topics that a project is to have, if they differ from those that it has. */
  private async changedTopics(
    project: Project,
    { topics: names }: ProjectChanges,
  ): Promise<Pick<Project, 'topics'> | undefined> {
    if (names === undefined || isDeepStrictEqual(names, project.topics)) return undefined;
    return { topics: await this.topics.ensure(names) };
  }

  /** Locks a project's namespace if the changes depend on it, else returns null. */
  private async lockNamespace(
    id: number,
    { name, path, visibility }: Pick<ProjectChanges, 'name' | 'path' | 'visibility'>,
  ): Promise<Namespace | null> {
    if ([name, path, visibility].every((value) => value === undefined)) return null;
    const namespace = await this.namespaces.lock(id);
    if (namespace === null) throw notFound('project');
    return namespace;
  }

  /** @param locked the namespace of the project before its own row was locked */
  private async changeProblems(
    caller: User,
    project: Project,
    values: Partial<Project>,
    locked: Namespace | null,
  ): Promise<FieldProblems> {
    const problems = Object.fromEntries(
      Object.entries(projectProblems({ ...project, ...values })).filter(
        ([field]) => field in values,
      ),
    );
    // The project may have been transferred in between.
    const isLocked = project.namespaceId === locked?.id;
    const namespace = isLocked ? locked : await this.lockNamespace(project.namespaceId, values);
    if (namespace === null) return problems;
    const ofVisibility = await this.visibilityProblems(caller, project, values, namespace);
    const { name, path } = values;
    const taken = await this.projects.findTaken(namespace.id, { id: project.id, name, path });
    return { ...problems, ...takenProblems(takenFields(taken)), ...ofVisibility };
  }

  private async visibilityProblems(
    caller: User,
    { id }: Project,
    { visibility }: Partial<Project>,
    namespace: Namespace,
  ): Promise<FieldProblems> {
    if (visibility === undefined) return {};
    return visibilityFieldProblems(visibility, {
      caller,
      namespace,
      settings: await this.settings.current(),
      ofSource: await this.projects.findSourceVisibility(id),
    });
  }

  /**
   * Plans a new default branch, which has to exist. In an empty repository it is the branch that the first commit
   * creates.
   */
  private async planDefaultBranch(
    project: Project,
    branch: string,
  ): Promise<{ problems: FieldProblems; values: Partial<Project> }> {
    const repository = this.storage.repository(project);
    if (project.defaultBranch === null && (await repository.isEmpty())) {
      return { problems: branchProblems(branch), values: { initialBranch: branch } };
    }
    const exists = (await repository.refs.get(BRANCH_PREFIX + branch)) !== null;
    const problems: FieldProblems = exists
      ? branchProblems(branch)
      : { defaultBranch: [{ rule: 'missing' }] };
    // Without a default branch the first push is not settled yet, which will set and protect it.
    const field = project.defaultBranch === null ? 'initialBranch' : 'defaultBranch';
    return { problems, values: { [field]: branch } };
  }

  /** Refuses an import into a repository that is not empty. Needs the push lock. */
  private async importProblems(project: Project): Promise<FieldProblems> {
    const repository = this.storage.repository(project);
    const isEmpty =
      (await repository.isEmpty()) && (await repository.refs.list(TAG_PREFIX)).length === 0;
    if (project.repositoryState === 'ready' && isEmpty) return {};
    return { importUrl: [{ rule: 'repository-not-empty' }] };
  }
}

/** Returns the branch to make the default one, undefined when it is the default one already. */
function newDefaultBranch({ project }: ProjectAccess, changes: ProjectChanges): string | undefined {
  const { defaultBranch } = changes;
  return defaultBranch === project.defaultBranch ? undefined : defaultBranch;
}

/** Returns the values that differ: clients send back what they have read. */
function changedValues(project: Project, changes: ProjectChanges): Partial<Project> {
  const { name, path, description, visibility, switches } = changes;
  const wanted = Object.entries({ name, path, description, visibility, ...switches });
  return Object.fromEntries(
    wanted.filter(([key, value]) => value !== undefined && value !== project[key as keyof Project]),
  );
}

/** What the audit log says about a change of a project. */
function changeRecords(
  { namespacePath }: ProjectRef,
  before: Project,
  { path, visibility }: Partial<Project>,
): AuditRecord[] {
  const records: AuditRecord[] = [];
  const target = onProject(before.id, `${namespacePath}/${path ?? before.path}`);
  if (path !== undefined) {
    const details = { from: before.path, to: path };
    records.push({ action: 'project.renamed', ...target, details });
  }
  if (visibility !== undefined) {
    records.push(visibilityChanged(target, before.visibility, visibility));
  }
  return records;
}
