import { Injectable } from '@nestjs/common';
import { canSee, type ProjectAccess, ProjectAccessRepository } from '../../access/index.js';
import { ActingUsers } from '../../users/index.js';
import type { Pusher } from './push-session.js';

/**
 * What pushers may do at the moment a ref is about to move. A push may have begun hours before: its sender
 * may be blocked by now, or no member any more, and the key or password that let it in may be gone.
 */
@Injectable()
export class CurrentRights {
  constructor(
    private readonly users: ActingUsers,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /** Call with the push lock held. Null for somebody who has no rights on the project any more. */
  async of({ access, userId, isStillSignedIn }: Pusher): Promise<ProjectAccess | null> {
    const user = await this.users.find(userId);
    if (user === null) return null;
    if (isStillSignedIn !== undefined && !(await isStillSignedIn())) return null;
    const { id } = access.project;
    // A statement of its own: a shared one may have been sent before the lock was had.
    const current = (await this.projects.findByIds(user, [id])).get(id);
    return current !== undefined && canSee(current) ? current : null;
  }
}
