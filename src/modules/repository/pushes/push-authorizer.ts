import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type Oid, type RefUpdate } from '../../../git/index.js';
import {
  allows,
  canSee,
  Level,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../../authorization/index.js';
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
  /**
   * Whether a deploy key pushes in the name of the user. It pushes as developers do, whatever the level of the user, who need
   * only be able to read the project (docs/decisions/0073-deploy-keys-that-push.md).
   */
  isDeployKey?: boolean;
}

/** What the rules depend on besides the pusher and the project. */
export type PushRules = Pick<
  PushConditions,
  'isForced' | 'mayDeleteTags' | 'isMerge' | 'isDeployKey'
>;

/** Of updates by the API, whose commits always descend from the old value of the ref. */
export const API_RULES: PushRules = { mayDeleteTags: true };

/** Of updates by the API that give a branch another history, as a forced push does. */
export const FORCED_RULES: PushRules = { ...API_RULES, isForced: () => Promise.resolve(true) };

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
  async currentAccess(pusher: Pusher): Promise<ProjectAccess | null> {
    const { access, userId, isStillSignedIn, isDeployKey = false } = pusher;
    const user = await this.users.find(userId);
    if (user === null) return null;
    if (isStillSignedIn !== undefined && !(await isStillSignedIn())) return null;
    const { id } = access.project;
    // Not by the shared look-up, whose statement may have been sent before the lock was acquired.
    const current = (await this.projects.findByIds(user, [id])).get(id);
    if (current === undefined || !canSee(current)) return null;
    if (!isDeployKey) return current;
    return allows(current, 'code:read') ? { ...current, level: Level.DEVELOPER } : null;
  }

  /**
   * Returns what forbids a forced push to an existing branch; null when it is allowed.
   * @param head the head of the branch
   */
  async findForceProblem(
    access: ProjectAccess,
    branch: string,
    head: Oid,
  ): Promise<RefProblem | null> {
    const ref = BRANCH_PREFIX + branch;
    const update = { ref, oldOid: head, newOid: head };
    return (await this.findRefProblems(access, [update], FORCED_RULES)).get(ref) ?? null;
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
