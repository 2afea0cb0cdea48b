import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden } from '../../platform/errors/index.js';
import { accessOf } from '../access/index.js';

const READING = ['GET', 'HEAD'];

/**
 * Refuses to write on the issues of a project that has them switched off
 * (docs/reference/issues.md#when-issues-are-switched-off); readers find none. Stands behind the
 * guards that ask for the ability.
 */
@Injectable()
export class IssueWritesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method } = context.switchToHttp().getRequest<Request>();
    if (!READING.includes(method) && !accessOf(context).project.issuesEnabled) throw forbidden();
    return true;
  }
}
