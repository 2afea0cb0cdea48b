import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { forbidden } from '../../platform/errors/index.js';
import { accessOf } from '../access/index.js';

/**
 * Refuses everything about the merge requests of a project that has them switched off
 * (docs/reference/merge-requests.md#endpoints). Stands behind the guards that ask for the ability.
 */
@Injectable()
export class MergeRequestsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!accessOf(context).project.mergeRequestsEnabled) throw forbidden();
    return true;
  }
}
