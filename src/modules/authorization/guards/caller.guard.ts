import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { forbidden, unauthenticated } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import {
  checkedAccess,
  clientAddress,
  faceOf,
  readCredential,
} from '../../../platform/http/index.js';
import { AccessRecheck } from '../../../platform/limits/index.js';
import { noteCaller } from '../../../platform/observability/index.js';
import { SudoUsed } from '../access.events.js';
import { Callers } from '../callers.js';
import { type Account, parseProjectIdentifier } from '../effective-access.js';
import { isAdminOnly, isOpen, type Permission, PERMISSIONS } from '../permissions.js';
import { AbilityGuard, abilityOf } from './ability.guard.js';
import { type RequestContext, setContext } from './request-context.js';
import { sudoNotPermitted, sudoTargetMissing } from '../refusals.js';

const WITH_DETAILS = Symbol('the caller is read with its details');

/** The handler answers with the caller's whole account, so all of it is read when the caller is identified. */
export const ReadsCallerDetails = (): MethodDecorator => SetMetadata(WITH_DETAILS, true);

/** Identifies the caller and the account they act as, and refuses others on administrators' routes. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly callers: Callers,
    private readonly abilities: AbilityGuard,
    private readonly events: DomainEvents,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const permission = permissionOf(execution);
    const { caller, administrator } = await this.identify(execution, permission);
    if (caller !== null) noteCaller(execution.switchToHttp().getRequest<Request>(), caller.id);
    if (caller !== null && administrator !== null) {
      await this.events.publish(new SudoUsed(administrator, caller, describe(execution)));
    }
    checkScope(permission, caller);
    const recheck = new AccessRecheck(() => this.confirm(execution));
    checkedAccess.set(execution.switchToHttp().getResponse<Response>(), {
      recheck,
      userId: caller?.id,
    });
    return true;
  }

  /**
   * Identifies the caller and checks the ability again, after a wait.
   * @throws DomainError unauthenticated, forbidden, not found for the account of `sudo`, a project or a group
   */
  private async confirm(execution: ExecutionContext): Promise<void> {
    const permission = permissionOf(execution);
    const { caller } = await this.identify(execution, permission);
    checkScope(permission, caller);
    await this.abilities.canActivate(execution);
  }

  private async identify(
    execution: ExecutionContext,
    permission: Permission,
  ): Promise<RequestContext> {
    const context =
      permission.scope === 'anyone' ? ANONYMOUS : await this.find(execution, permission);
    setContext(execution.switchToHttp().getRequest<Request>(), { ...context });
    return context;
  }

  private async find(execution: ExecutionContext, permission: Permission): Promise<RequestContext> {
    const request = execution.switchToHttp().getRequest<Request>();
    const { token, sudo } = readCredential(request);
    if (token === undefined) return { caller: null, administrator: null };
    const found = await this.findByToken(execution, permission, { token, sudo });
    if (found.caller === null && faceOf(request)?.refusesUnknownTokens === true) {
      throw unauthenticated();
    }
    return found;
  }

  private async findByToken(
    execution: ExecutionContext,
    permission: Permission,
    { token, sudo }: { readonly token: string; readonly sudo: string | undefined },
  ): Promise<RequestContext> {
    const request = execution.switchToHttp().getRequest<Request>();
    const projectId = permission.scope === 'project' ? numberOfProject(request) : null;
    if (sudo === undefined && projectId !== null) {
      const { caller, access } = await this.callers.findByTokenOnProject(token, projectId);
      return { caller, administrator: null, found: access };
    }
    const withDetails = Reflect.getMetadata(WITH_DETAILS, execution.getHandler()) === true;
    const caller = await this.callers.findByToken(token, { withDetails });
    if (caller === null || sudo === undefined) return { caller, administrator: null };
    if (!caller.admin) throw sudoNotPermitted();
    return { caller: await this.target(sudo), administrator: caller };
  }

  /** Finds the account as which an administrator acts. */
  private async target(sudo: string): Promise<Account> {
    const account = await this.callers.findByIdOrUsername(sudo);
    if (account === null) throw sudoTargetMissing(sudo);
    if (account.state !== 'active') throw forbidden();
    return account;
  }
}

/** @throws DomainError forbidden; closed by default: a route that names no ability is refused to all callers */
function permissionOf(execution: ExecutionContext): Permission {
  const ability = abilityOf(execution.getHandler());
  if (ability === undefined) throw forbidden();
  return PERMISSIONS[ability];
}

const ANONYMOUS: RequestContext = { caller: null, administrator: null };

function describe(execution: ExecutionContext): SudoUsed['request'] {
  const http = execution.switchToHttp();
  const request = http.getRequest<Request>();
  const id = http.getResponse<Response>().getHeader('X-Request-Id');
  return {
    method: request.method,
    route: (request.route as { readonly path: string }).path,
    address: clientAddress(request),
    id: typeof id === 'string' ? id : null,
  };
}

/** Returns null when the path names the project by its path, or none. */
function numberOfProject(request: Request): number | null {
  const identifier = parseProjectIdentifier(String(request.params['id']));
  return identifier !== null && 'id' in identifier ? identifier.id : null;
}

function checkScope(permission: Permission, caller: Account | null): void {
  if (caller === null && !isOpen(permission)) throw unauthenticated();
  if (isAdminOnly(permission) && caller?.admin !== true) throw forbidden();
}
