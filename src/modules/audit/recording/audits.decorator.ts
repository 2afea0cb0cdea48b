import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { AuditAction } from '../model/audit-actions.js';
import { auditOrigin, originOf } from './audit-origin.js';

const AUDITS = Symbol('actions that a route records in the audit log');

/**
 * Runs the handler of a route so that what it records names the caller, the client's address and the request. On
 * routes with `Audits` alone: an `AsyncLocalStorage` has its price, and frequent requests do not pay it.
 */
@Injectable()
class AuditOriginInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const origin = originOf(execution.switchToHttp().getRequest<Request>());
    return from(auditOrigin.run(origin, () => lastValueFrom(next.handle())));
  }
}

/** Names the actions that a route may record in the audit log. */
export const Audits = (...actions: readonly AuditAction[]): MethodDecorator =>
  applyDecorators(SetMetadata(AUDITS, actions), UseInterceptors(AuditOriginInterceptor));

/** The actions that a handler declares; undefined when it declares none. */
export function auditedActions(handler: object): readonly AuditAction[] | undefined {
  return Reflect.getMetadata(AUDITS, handler) as readonly AuditAction[] | undefined;
}
