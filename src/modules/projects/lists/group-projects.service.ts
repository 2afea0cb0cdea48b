import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  type DomainError,
  type FieldTexts,
  notFound,
  ruleViolated,
} from '../../../platform/errors/index.js';
import { PROJECTS_IN_GROUP_RESPONSE } from '../../../platform/limits/index.js';
import type { Page, PageRequest } from '../../../platform/pages/index.js';
import { canSee, type GroupRef, ProjectAccessRepository } from '../../access/index.js';
import { DomainEvents } from '../../activity/index.js';
import { AuditLog } from '../../audit/index.js';
import { type Namespace, NamespacesRepository } from '../../groups/index.js';
import type { User } from '../../users/index.js';
import { ForkVisibility } from '../lifecycle/forks/fork-visibility.js';
import type { ProjectWithRelations } from '../presentation/project-relations.js';
import { onProject, visibilityChanged } from '../model/project-records.js';
import { ProjectMoved } from '../model/project.events.js';
import { takenErrors, takenFieldsOf } from '../model/project.rules.js';
import { ProjectsRepository } from '../model/projects.repository.js';
import { ProjectListsRepository } from './project-lists.repository.js';
import type { ProjectFilters } from './project-lists.sql.js';
import { both, groupProjects, readableOneByOne } from './project-scopes.sql.js';

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
    const loaded = await this.lists.listNewest(scope, PROJECTS_IN_GROUP_RESPONSE, {
      reader: caller,
    });
    const isOwn = ({ project }: ProjectWithRelations) => project.namespaceId === group.id;
    return { own: loaded.filter(isOwn), shared: loaded.filter((each) => !isOwn(each)) };
  }

  /**
   * Transfers a project into a group (docs/reference/groups.md#transferring-a-project). Its addresses change, and
   * its visibility and that of its forks is lowered to the group's. Members, shares and the repository stay.
   * @param reference ID or full path of the project
   * @throws DomainError not found (project or group), rule violated (why it cannot be transferred)
   */
  async transfer(caller: User, reference: string, group: GroupRef): Promise<void> {
    const projectId = await this.findVisibleId(caller, reference);
    try {
      while (!(await this.work.run(() => this.tryTransfer(projectId, group.id)))) {
        // Another request transferred it before its namespace was locked.
      }
    } catch (error) {
      const taken = takenFieldsOf(error);
      throw taken === null ? error : transferFailed(sameText(taken));
    }
  }

  private async findVisibleId(caller: User, reference: string): Promise<number> {
    const access = await this.access.findByReference(caller, reference);
    if (access === null || !canSee(access)) throw notFound('Project');
    return access.project.id;
  }

  /**
   * Locks both namespaces before the project, so that neither can be deleted, nor the visibility of the group or
   * the project change, during the transfer.
   * @returns false when the project was transferred before its namespace was locked
   */
  private async tryTransfer(projectId: number, groupId: number): Promise<boolean> {
    const before = await this.projects.findById(projectId);
    if (before === null) throw notFound('Project');
    if (before.namespaceId === groupId) throw transferFailed('is invalid');
    const locked = await this.namespaces.lockAll([before.namespaceId, groupId]);
    const group = locked.find(({ id }) => id === groupId);
    if (group === undefined) throw notFound('Group');
    const project = await this.projects.lock(projectId);
    if (project === null) throw notFound('Project');
    if (project.namespaceId !== before.namespaceId) return false;
    const taken = takenErrors(await this.projects.findTaken(groupId, project));
    if (Object.keys(taken).length > 0) throw transferFailed(sameText(taken));
    const visibilityLevel = Math.min(project.visibilityLevel, group.visibilityLevel);
    await this.projects.update(projectId, { namespaceId: groupId, visibilityLevel });
    const from = { namespaceId: project.namespaceId, path: project.path };
    await this.events.publish(new ProjectMoved(projectId, from));
    const source = locked.find(({ id }) => id === project.namespaceId);
    const target = onProject(projectId, `${group.path}/${project.path}`);
    const details = { from: source?.path ?? null, to: group.path };
    await this.audit.record({ action: 'project.transferred', ...target, groupId, details });
    if (visibilityLevel !== project.visibilityLevel) {
      await this.audit.record(visibilityChanged(target, project.visibilityLevel, visibilityLevel));
      await this.forks.lowerForks(projectId, visibilityLevel);
    }
    return true;
  }
}

const scopeOf = (caller: User, { id }: { id: number }) =>
  both(groupProjects(id), readableOneByOne(caller));

function sameText(taken: FieldTexts): string {
  const field = 'path' in taken ? 'path' : 'name';
  return `Project with same ${field} in target namespace already exists`;
}

function transferFailed(text: string): DomainError {
  const messages = JSON.stringify({ new_namespace: [text] });
  return ruleViolated(`Failed to transfer project ${messages}`);
}
