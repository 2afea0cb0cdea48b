import { Injectable } from '@nestjs/common';
import type { RefUpdate } from '../../../git/index.js';
import { canSee, type ProjectAccess, ProjectAccessRepository } from '../../authorization/index.js';
import { SettingsService } from '../../settings/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { ActingUsers } from '../../users/index.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import type { RefProblem } from '../shared/refusals.js';
import { type PushConditions, refProblems } from './push.policy.js';

/** The caller of a push, with the access to the project that is pushed to. */
export interface Pusher {
  /** As of the beginning of the request; read again before a ref moves. */
  access: ProjectAccess;
  userId: number;
  /** Whether the credential of the request is still valid. Absent when that is not checked. */
  isStillSignedIn?: () => Promise<boolean>;
}

/** What the rules depend on besides the pusher and the project. */
export type PushRules = Pick<PushConditions, 'isForced' | 'mayDeleteTags' | 'isMerge'>;

/** Of updates by the API, whose commits always descend from the old value of the ref. */
export const API_RULES: PushRules = { mayDeleteTags: true };

/** Decides which updates of a push are allowed, by the rules of `push.policy.ts`. */
@Injectable()
export class PushAuthorizer {
  constructor(
    private readonly users: ActingUsers,
    private readonly projects: ProjectAccessRepository,
    private readonly storage: ProjectStorage,
    private readonly protectedBranches: ProtectedBranchesRepository,
    private readonly settings: SettingsService,
  ) {}

  /**
   * Reads the access that the pusher has now; null without any. A push may have begun hours ago: meanwhile
   * the user may have been blocked or removed from the project, and the key or password revoked. Requires
   * the push lock.
   */
  async currentAccess({ access, userId, isStillSignedIn }: Pusher): Promise<ProjectAccess | null> {
    const user = await this.users.find(userId);
    if (user === null) return null;
    if (isStillSignedIn !== undefined && !(await isStillSignedIn())) return null;
    const { id } = access.project;
    // Not by the shared look-up, whose statement may have been sent before the lock was acquired.
    const current = (await this.projects.findByIds(user, [id])).get(id);
    return current !== undefined && canSee(current) ? current : null;
  }

  /** Returns what forbids each refused update, by its ref; empty when all are allowed. */
  async findRefProblems(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    rulesOfPush: PushRules,
  ): Promise<Map<string, RefProblem>> {
    const { project } = access;
    const rules = await this.protectedBranches.rulesOf(project.id);
    const isEmpty = await this.storage.repository(project).isEmpty();
    return refProblems(updates, {
      access,
      rules,
      mastersOnly: isEmpty && (await this.settings.current()).defaultBranchProtection === 'full',
      ...rulesOfPush,
    });
  }
}
