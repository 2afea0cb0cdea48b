import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type QuarantineView,
  type RefUpdate,
  ZERO_OID,
} from '../../../git/index.js';
import {
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type ProjectRef,
} from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { SettingsService } from '../../settings/index.js';
import { ActingUsers } from '../../users/index.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import { protectionOf } from '../protection/protection.policy.js';
import { type PushConditions, refusals } from './push.policy.js';

const FULL_PROTECTION = 2;
/** The most refs of a push whose ancestry is prefetched: each takes a process of git. */
const MAX_PREFETCHED = 2;

/** The caller of a push, with the access to the project that is pushed to. */
export interface Pusher {
  /** As of the beginning of the request; read again before a ref moves. */
  access: ProjectAccess;
  userId: number;
  /** Whether the credential of the request is still valid. Absent when that is not checked. */
  isStillSignedIn?: () => Promise<boolean>;
}

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

  /**
   * Has git begin to look up the ancestry that `findRefusals` will ask for, in small pushes to protected
   * branches. A failure is ignored: `findRefusals` asks again.
   */
  prefetchAncestry(
    project: ProjectRef,
    updates: readonly RefUpdate[],
    quarantine: Pick<QuarantineView, 'isAncestor'>,
  ): void {
    this.lookUpAncestry(project, updates, quarantine).catch(() => undefined);
  }

  /** Returns the reason for each refused ref of a push by a git client; empty when all are allowed. */
  findRefusals(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    quarantine: Pick<QuarantineView, 'isAncestor'>,
  ): Promise<Map<string, string>> {
    return this.applyPolicy(access, updates, {
      isForced: async ({ oldOid, newOid }) => !(await quarantine.isAncestor(oldOid, newOid)),
    });
  }

  /** Does the same for updates by the API, whose commits always descend from the old value of the ref. */
  findApiRefusals(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    { isMerge = false }: { isMerge?: boolean } = {},
  ): Promise<Map<string, string>> {
    return this.applyPolicy(access, updates, {
      isForced: () => Promise.resolve(false),
      mayDeleteTags: true,
      isMerge,
    });
  }

  private async applyPolicy(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    conditions: Pick<PushConditions, 'isForced' | 'mayDeleteTags' | 'isMerge'>,
  ): Promise<Map<string, string>> {
    const { project } = access;
    const rules = await this.protectedBranches.rulesOf(project.id);
    const isEmpty = await this.storage.repository(project).isEmpty();
    return refusals(updates, {
      access,
      rules,
      mastersOnly:
        isEmpty && (await this.settings.current()).defaultBranchProtection === FULL_PROTECTION,
      ...conditions,
    });
  }

  private async lookUpAncestry(
    project: ProjectRef,
    updates: readonly RefUpdate[],
    quarantine: Pick<QuarantineView, 'isAncestor'>,
  ): Promise<void> {
    const moves = updates.filter(
      ({ ref, oldOid, newOid }) =>
        ref.startsWith(BRANCH_PREFIX) && oldOid !== ZERO_OID && newOid !== ZERO_OID,
    );
    if (moves.length === 0 || moves.length > MAX_PREFETCHED) return;
    const rules = await this.protectedBranches.rulesOf(project.id);
    const guarded = moves.filter(
      ({ ref }) => protectionOf(ref.slice(BRANCH_PREFIX.length), rules).protected,
    );
    await Promise.all(guarded.map(({ oldOid, newOid }) => quarantine.isAncestor(oldOid, newOid)));
  }
}
