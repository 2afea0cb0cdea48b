import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { forbidden } from '../../platform/errors/index.js';
import { accessOf } from '../access/index.js';
import { hasTracker } from './trackers.js';

/**
 * Refuses what serves issues and merge requests alike where a project has neither
 * (docs/reference/projects.md#switches), whoever asks. Stands behind the guards that ask for the
 * ability.
 */
@Injectable()
export class TrackersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { project } = accessOf(context);
    if (!hasTracker(project, 'Issue') && !hasTracker(project, 'MergeRequest')) throw forbidden();
    return true;
  }
}
