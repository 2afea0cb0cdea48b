import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type DomainError, forbidden, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import {
  allows,
  canSee,
  type GroupRef,
  leastVisible,
  ProjectAccessRepository,
  type ProjectRef,
} from '../../authorization/index.js';
import { AuditLog } from '../../audit/index.js';
import { type Namespace, NamespacesRepository, NamespacesService } from '../../groups/index.js';
import type { User } from '../../users/index.js';
import { onProject, visibilityChanged } from '../model/project-records.js';
import { ProjectMoved } from '../model/project.events.js';
import { takenFieldOf, takenFields } from '../model/project.rules.js';
import { transferRefused, type UniqueProjectField } from '../model/refusals.js';
import { ProjectsRepository } from '../model/projects.repository.js';
import { ForkVisibility } from './forks/fork-visibility.js';
import { ProjectCreationService } from './project-creation.service.js';

/** Where a project goes. */
interface Target {
  readonly id: number;
  /** @throws DomainError when the project may not be moved into the namespace, which is locked; null if it is deleted */
  readonly check: (namespace: Namespace | null) => Promise<Namespace>;
}

/**
 * Transfers projects into other namespaces (docs/reference/groups.md#transferring-a-project). The addresses of a project change,
 * and its visibility and that of its forks is lowered to the namespace's. Members, shares and the repository stay.
 */
@Injectable()
export class ProjectTransfersService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly creation: ProjectCreationService,
    private readonly forks: ForkVisibility,
    private readonly access: ProjectAccessRepository,
    private readonly namespaces: NamespacesRepository,
    private readonly namespacesService: NamespacesService,
    private readonly work: UnitOfWork,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Transfers a project into a group.
   * @param reference ID or full path of the project
   * @throws DomainError not found (project or group), transfer refused
   */
  async transferToGroup(caller: User, reference: string, group: GroupRef): Promise<void> {
    const access = await this.access.findByReference(caller, reference);
    if (access === null || !canSee(access)) throw notFound('project');
    await this.transfer(access.project.id, {
      id: group.id,
      check: (namespace) => {
        if (namespace === null) throw notFound('group');
        return Promise.resolve(namespace);
      },
    });
  }

  /**
   * Transfers a project into a namespace in which its owner may create projects.
   * @param reference ID or path of the namespace
   * @throws DomainError not found (project or namespace), transfer refused, project limit reached
   */
  async transferToNamespace(caller: User, { id }: ProjectRef, reference: string): Promise<void> {
    const target = await this.namespacesService.read(caller, reference);
    await this.transfer(id, {
      id: target.id,
      check: async (namespace) => {
        if (namespace === null) throw notFound('namespace');
        await this.assertMayTransfer(caller, id);
        if (!(await this.creation.mayCreateIn(caller, namespace))) {
          throw transferRefused('not-permitted');
        }
        await this.creation.checkQuota(caller, namespace, caller);
        return namespace;
      },
    });
  }

  /** Another transfer may have taken the project away from the caller. */
  private async assertMayTransfer(caller: User, projectId: number): Promise<void> {
    const access = (await this.access.findByIds(caller, [projectId])).get(projectId);
    if (access === undefined || !canSee(access)) throw notFound('project');
    if (!allows(access, 'project:transfer')) throw forbidden();
  }

  private async transfer(projectId: number, target: Target): Promise<void> {
    try {
      while (!(await this.work.run(() => this.tryTransfer(projectId, target)))) {
        // Another request transferred it before its namespace was locked.
      }
    } catch (error) {
      const taken = takenFieldOf(error);
      throw taken === null ? error : refusalOf([taken]);
    }
  }

  /**
   * Locks both namespaces before the project, so that neither can be deleted, nor the visibility of the namespace or
   * the project change, during the transfer.
   * @returns false when the project was transferred before its namespace was locked
   */
  private async tryTransfer(projectId: number, { id: targetId, check }: Target): Promise<boolean> {
    const before = await this.projects.findById(projectId);
    if (before === null) throw notFound('project');
    if (before.namespaceId === targetId) throw transferRefused('same-group');
    const locked = await this.namespaces.lockAll([before.namespaceId, targetId]);
    const target = await check(locked.find(({ id }) => id === targetId) ?? null);
    const project = await this.projects.lock(projectId);
    if (project === null) throw notFound('project');
    if (project.namespaceId !== before.namespaceId) return false;
    const taken = takenFields(await this.projects.findTaken(targetId, project));
    if (taken.length > 0) throw refusalOf(taken);
    const visibility = leastVisible(project.visibility, target.visibility);
    await this.projects.update(projectId, { namespaceId: targetId, visibility });
    const from = { namespaceId: project.namespaceId, path: project.path };
    await this.events.publish(new ProjectMoved(projectId, from));
    const source = locked.find(({ id }) => id === project.namespaceId);
    const moved = onProject(projectId, `${target.path}/${project.path}`);
    const details = { from: source?.path ?? null, to: target.path };
    const groupId = target.ownerId === null ? targetId : null;
    await this.audit.record({ action: 'project.transferred', ...moved, groupId, details });
    if (visibility !== project.visibility) {
      await this.audit.record(visibilityChanged(moved, project.visibility, visibility));
      await this.forks.lowerForks(projectId, visibility);
    }
    return true;
  }
}

const refusalOf = (taken: readonly UniqueProjectField[]): DomainError =>
  transferRefused(taken.includes('path') ? 'path-taken' : 'name-taken');
