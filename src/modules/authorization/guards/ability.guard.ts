import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden, notFound } from '../../../platform/errors/index.js';
import { clientAddress, reference } from '../../../platform/http/index.js';
import {
  accessFor,
  allows,
  allowsOnGroup,
  canSee,
  canSeeGroup,
  type GroupAccess,
  type ProjectAccess,
  type Subject,
} from '../effective-access.js';
import { GroupAccessRepository } from '../model/group-access.repository.js';
import { type Ability, type Permission, PERMISSIONS } from '../permissions.js';
import { ProjectAccessRepository } from '../model/project-access.repository.js';
import { contextOf } from './request-context.js';

const ABILITY = Symbol('ability that a route requires');

// Read twice per request, and reading metadata walks up the prototypes.
const abilities = new WeakMap<object, Ability>();

/** Names the ability that a route requires. A route without it is refused to all callers. */
export const Requires = (ability: Ability): MethodDecorator => SetMetadata(ABILITY, ability);

/** The ability a handler declares, undefined when it declares none. */
export function abilityOf(handler: object): Ability | undefined {
  const known = abilities.get(handler);
  if (known !== undefined) return known;
  const ability = Reflect.getMetadata(ABILITY, handler) as Ability | undefined;
  if (ability !== undefined) abilities.set(handler, ability);
  return ability;
}

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
        context.found === undefined
          ? await this.projects.findByReference(context.caller, id)
          : context.found;
      const client = { address: clientAddress(request), userId: context.caller?.id };
      context.access = accessFor(client, allowed(found, ability));
    } else if (permission.scope === 'group') {
      context.groupAccess = await this.onGroup(context.caller, id, ability);
    }
    return true;
  }

  private async onGroup(subject: Subject, id: string, ability: Ability): Promise<GroupAccess> {
    const access = await this.groups.find(subject, reference(id));
    if (access === null || !canSeeGroup(access)) throw notFound('group');
    if (!allowsOnGroup(access, ability)) throw forbidden();
    return access;
  }
}

/** @throws DomainError not found for a project that the caller does not see, forbidden */
function allowed(access: ProjectAccess | null, ability: Ability): ProjectAccess {
  if (access === null || !canSee(access)) throw notFound('project');
  if (!allows(access, ability)) throw forbidden();
  return access;
}
