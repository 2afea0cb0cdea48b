import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type DomainError, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  canSee,
  type GroupRef,
  leastVisible,
  ProjectAccessRepository,
} from '../../authorization/index.js';
import { AuditLog } from '../../audit/index.js';
import { type Namespace, NamespacesRepository } from '../../groups/index.js';
import type { User } from '../../users/index.js';
import { ForkVisibility } from '../lifecycle/forks/fork-visibility.js';
import type { ProjectWithRelations } from '../model/project-relations.js';
import { onProject, visibilityChanged } from '../model/project-records.js';
import { ProjectMoved } from '../model/project.events.js';
import { takenFieldOf, takenFields } from '../model/project.rules.js';
import { transferRefused, type UniqueProjectField } from '../model/refusals.js';
import { ProjectsRepository } from '../model/projects.repository.js';
import { ProjectListsRepository } from './project-lists.repository.js';
import type { ProjectFilters } from './project-lists.sql.js';
import { both, groupProjects, readableOneByOne } from './project-scopes.sql.js';

/** Projects that come with one group, the newest; `GET /groups/:id/projects` lists all. */
const EMBEDDED_PROJECTS = 1_000;

/** The projects that a group's response embeds. */
interface EmbeddedProjects {
  own: ProjectWithRelations[];
  /** Projects of other namespaces that are shared with the group. */
  shared: ProjectWithRelations[];
}

/** The projects of groups: their lists, and transferring projects into groups. */
@Injectable()
export class GroupProjectsService {
  constructor(
    private readonly lists: ProjectListsRepository,
    private readonly projects: ProjectsRepository,
    private readonly forks: ForkVisibility,
    private readonly access: ProjectAccessRepository,
    private readonly namespaces: NamespacesRepository,
    private readonly work: UnitOfWork,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  /** Lists a group's own projects and those shared with it that the caller may see. */
  list(
    caller: User,
    group: GroupRef,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    return this.lists.list(scopeOf(caller, group), filters, request, { reader: caller });
  }

  /**
   * Loads the newest projects of a group that the caller may see, archived ones included, newest first, with a
   * constant number of statements.
   */
  async loadEmbedded(caller: User, group: Namespace): Promise<EmbeddedProjects> {
    const scope = scopeOf(caller, group);
    const loaded = await this.lists.listNewest(scope, EMBEDDED_PROJECTS, {
      reader: caller,
    });
    const isOwn = ({ project }: ProjectWithRelations) => project.namespaceId === group.id;
    return { own: loaded.filter(isOwn), shared: loaded.filter((each) => !isOwn(each)) };
  }

  /**
   * Transfers a project into a group (docs/reference/groups.md#transferring-a-project). Its addresses change, and
   * its visibility and that of its forks is lowered to the group's. Members, shares and the repository stay.
   * @param reference ID or full path of the project
   * @throws DomainError not found (project or group), transfer refused
   */
  async transfer(caller: User, reference: string, group: GroupRef): Promise<void> {
    const projectId = await this.findVisibleId(caller, reference);
    try {
      while (!(await this.work.run(() => this.tryTransfer(projectId, group.id)))) {
        // Another request transferred it before its namespace was locked.
      }
    } catch (error) {
      const taken = takenFieldOf(error);
      throw taken === null ? error : refusalOf([taken]);
    }
  }

  private async findVisibleId(caller: User, reference: string): Promise<number> {
    const access = await this.access.findByReference(caller, reference);
    if (access === null || !canSee(access)) throw notFound('project');
    return access.project.id;
  }

  /**
   * Locks both namespaces before the project, so that neither can be deleted, nor the visibility of the group or
   * the project change, during the transfer.
   * @returns false when the project was transferred before its namespace was locked
   */
  private async tryTransfer(projectId: number, groupId: number): Promise<boolean> {
    const before = await this.projects.findById(projectId);
    if (before === null) throw notFound('project');
    if (before.namespaceId === groupId) throw transferRefused('same-group');
    const locked = await this.namespaces.lockAll([before.namespaceId, groupId]);
    const group = locked.find(({ id }) => id === groupId);
    if (group === undefined) throw notFound('group');
    const project = await this.projects.lock(projectId);
    if (project === null) throw notFound('project');
    if (project.namespaceId !== before.namespaceId) return false;
    const taken = takenFields(await this.projects.findTaken(groupId, project));
    if (taken.length > 0) throw refusalOf(taken);
    const visibility = leastVisible(project.visibility, group.visibility);
    await this.projects.update(projectId, { namespaceId: groupId, visibility });
    const from = { namespaceId: project.namespaceId, path: project.path };
    await this.events.publish(new ProjectMoved(projectId, from));
    const source = locked.find(({ id }) => id === project.namespaceId);
    const target = onProject(projectId, `${group.path}/${project.path}`);
    const details = { from: source?.path ?? null, to: group.path };
    await this.audit.record({ action: 'project.transferred', ...target, groupId, details });
    if (visibility !== project.visibility) {
      await this.audit.record(visibilityChanged(target, project.visibility, visibility));
      await this.forks.lowerForks(projectId, visibility);
    }
    return true;
  }
}

const scopeOf = (caller: User, { id }: { id: number }) =>
  both(groupProjects(id), readableOneByOne(caller));

const refusalOf = (taken: readonly UniqueProjectField[]): DomainError =>
  transferRefused(taken.includes('path') ? 'path-taken' : 'name-taken');
