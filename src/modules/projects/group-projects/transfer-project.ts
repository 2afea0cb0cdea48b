import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  type DomainError,
  type FieldTexts,
  notFound,
  ruleViolated,
} from '../../../platform/errors/index.js';
import {
  canSee,
  type GroupRef,
  parseProjectIdentifier,
  ProjectAccessRepository,
} from '../../access/index.js';
import { DomainEvents } from '../../activity/index.js';
import { NamespacesRepository } from '../../groups/index.js';
import type { User } from '../../users/index.js';
import { ProjectPlacement } from '../project-placement.js';
import { ProjectMoved } from '../project.events.js';
import { ProjectsRepository } from '../projects.repository.js';
import { takenFieldsOf } from '../taken-name.js';

/** Moves a project from one namespace into another (docs/reference/groups.md#transferring-a-project). */
@Injectable()
export class TransferProject {
  constructor(
    private readonly work: UnitOfWork,
    private readonly access: ProjectAccessRepository,
    private readonly namespaces: NamespacesRepository,
    private readonly projects: ProjectsRepository,
    private readonly placement: ProjectPlacement,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Its addresses move at once, and its visibility is lowered to the group's. Members and shares stay,
   * and so does the repository, whose place does not depend on the namespace.
   * @param reference number or full path of the project
   * @throws DomainError not found (project or group), rule violated (why it cannot be moved)
   */
  async run(caller: User, reference: string, group: GroupRef): Promise<void> {
    const projectId = await this.idOf(caller, reference);
    try {
      while (!(await this.work.run(() => this.move(projectId, group.id)))) {
        // Somebody else moved it between the look at where it is and the lock on that.
      }
    } catch (error) {
      const taken = takenFieldsOf(error);
      throw taken === null ? error : failed(sameText(taken));
    }
  }

  private async idOf(caller: User, reference: string): Promise<number> {
    const identifier = parseProjectIdentifier(reference);
    const access = identifier && (await this.access.find(caller, identifier));
    if (access === null || !canSee(access)) throw notFound('Project');
    return access.project.id;
  }

  /**
   * Both namespaces are locked before the project, as everywhere: so neither can be removed, nor can
   * the group's or the project's visibility change, while the project moves.
   * @returns false when the project is not where it was when the locks were chosen
   */
  private async move(projectId: number, groupId: number): Promise<boolean> {
    const before = await this.projects.findById(projectId);
    if (before === null) throw notFound('Project');
    if (before.namespaceId === groupId) throw failed('is invalid');
    const locked = await this.namespaces.lockAll([before.namespaceId, groupId]);
    const group = locked.find(({ id }) => id === groupId);
    if (group === undefined) throw notFound('Group');
    const project = await this.projects.lock(projectId);
    if (project === null) throw notFound('Project');
    if (project.namespaceId !== before.namespaceId) return false;
    const taken = await this.placement.takenErrors(groupId, project);
    if (Object.keys(taken).length > 0) throw failed(sameText(taken));
    await this.projects.update(projectId, {
      namespaceId: groupId,
      visibilityLevel: Math.min(project.visibilityLevel, group.visibilityLevel),
    });
    const from = { namespaceId: project.namespaceId, path: project.path };
    await this.events.publish(new ProjectMoved(projectId, from));
    return true;
  }
}

function sameText(taken: FieldTexts): string {
  const field = 'path' in taken ? 'path' : 'name';
  return `Project with same ${field} in target namespace already exists`;
}

function failed(text: string): DomainError {
  const messages = JSON.stringify({ new_namespace: [text] });
  return ruleViolated(`Failed to transfer project ${messages}`);
}
