import { Injectable } from '@nestjs/common';
import {
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type Subject,
} from '../access/index.js';

/** Who may remove the branches that merge requests come from. */
@Injectable()
export class SourceBranchRights {
  constructor(private readonly projects: ProjectAccessRepository) {}

  /**
   * A user's access to the source project if branches of it may be deleted with it, else null. Whether the
   * branch is protected or the default one is not asked.
   */
  async find(user: Subject, sourceProjectId: number | null): Promise<ProjectAccess | null> {
    if (sourceProjectId === null) return null;
    const access = await this.projects.find(user, { id: sourceProjectId });
    return access !== null && mayRemoveBranches(access) ? access : null;
  }
}

export function mayRemoveBranches(access: ProjectAccess): boolean {
  return canSee(access) && allows(access, 'code:push') && !access.project.archived;
}
