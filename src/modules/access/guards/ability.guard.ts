import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden, notFound } from '../../../platform/errors/index.js';
import { reference } from '../../../platform/http/index.js';
import { allowsOnGroup, canSeeGroup, type GroupAccess } from '../group-access/group-access.js';
import { GroupAccessRepository } from '../group-access/group-access.repository.js';
import { type Ability, type Permission, PERMISSIONS } from '../permissions.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  type Subject,
} from '../project-access/project-access.js';
import { ProjectAccessRepository } from '../project-access/project-access.repository.js';
import { parseProjectIdentifier } from '../project-access/project-path.js';
import { contextOf } from './request-context.js';
import { abilityOf } from './requires.js';

/**
 * Resolves the project or group that the path names and checks the caller's ability on it. The last guard:
 * it runs after the parameters' guard by docs/reference/conventions.md#order-of-checks.
 */
@Injectable()
export class AbilityGuard implements CanActivate {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly groups: GroupAccessRepository,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const ability = abilityOf(execution.getHandler());
    if (ability === undefined) throw forbidden();
    const permission: Permission = PERMISSIONS[ability];
    const request = execution.switchToHttp().getRequest<Request>();
    const context = contextOf(request);
    const id = String(request.params['id']);
    if (permission.scope === 'project') {
      const found =
        context.found === undefined ? await this.find(context.caller, id) : context.found;
      context.access = allowed(found, ability);
    } else if (permission.scope === 'group') {
      context.groupAccess = await this.onGroup(context.caller, id, ability);
    }
    return true;
  }

  private async find(subject: Subject, id: string): Promise<ProjectAccess | null> {
    const identifier = parseProjectIdentifier(id);
    return identifier && this.projects.find(subject, identifier);
  }

  private async onGroup(subject: Subject, id: string, ability: Ability): Promise<GroupAccess> {
    const access = await this.groups.find(subject, reference(id));
    if (access === null || !canSeeGroup(access)) throw notFound('Group');
    if (!allowsOnGroup(access, ability)) throw forbidden();
    return access;
  }
}

/** @throws DomainError not found for a project that the caller does not see, forbidden */
function allowed(access: ProjectAccess | null, ability: Ability): ProjectAccess {
  if (access === null || !canSee(access)) throw notFound('Project');
  if (!allows(access, ability)) throw forbidden();
  return access;
}
