import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden, notFound } from '../../../platform/errors/index.js';
import { type Permission, PERMISSIONS } from '../permissions.js';
import { allows, canSee } from '../project-access.js';
import { ProjectAccessRepository } from '../project-access.repository.js';
import { parseProjectIdentifier } from '../project-path.js';
import { contextOf } from '../request-context.js';
import { abilityOf } from '../requires.js';

/**
 * The last guard: finds the project that the path names and asks the table whether the caller may.
 * It comes after the parameters' guard, because a bad parameter is told before a missing project
 * (open points 1.2).
 */
@Injectable()
export class AbilityGuard implements CanActivate {
  constructor(private readonly projects: ProjectAccessRepository) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const ability = abilityOf(execution.getHandler());
    if (ability === undefined) throw forbidden();
    const permission: Permission = PERMISSIONS[ability];
    if (permission.scope !== 'project') return true;
    const request = execution.switchToHttp().getRequest<Request>();
    const context = contextOf(request);
    const identifier = parseProjectIdentifier(String(request.params['id']));
    const access = identifier && (await this.projects.find(context.caller, identifier));
    if (access === null || !canSee(access)) throw notFound('Project');
    if (!allows(access, ability)) throw forbidden();
    context.access = access;
    return true;
  }
}
