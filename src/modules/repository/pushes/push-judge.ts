import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  GitError,
  type PushedRange,
  type PushHistory,
  type QuarantineView,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import type { ProjectAccess, ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { SettingsService } from '../../settings/index.js';
import { protectionOf } from '../protection/protection.policy.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import { branchRanges } from './brought-commits.js';
import { conventionalBranch } from './default-branch.js';
import { type PushConditions, refusals } from './push.policy.js';

const FULL_PROTECTION = 2;
/** More processes are not started on a guess. */
const FORESEEN = 2;

/** Gathers what the rules for pushes need to know, and asks them. */
@Injectable()
export class PushJudge {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly protectedBranches: ProtectedBranchesRepository,
    private readonly settings: SettingsService,
  ) {}

  /**
   * Reads the history that a push brings where that takes its time, before the push lock is taken. What is read does
   * not depend on the lock; should the default branch move meanwhile, what new branches lack of it is found out
   * again. For small pushes git begins with what `refusals` is likely to ask.
   */
  async readHistory(
    { project }: ProjectAccess,
    updates: readonly RefUpdate[],
    quarantine: QuarantineView,
  ): Promise<PushHistory | null> {
    try {
      const repository = this.storage.repository(project);
      const ranges = await expectedRanges(project, repository, updates);
      const history = ranges.length === 0 ? null : await quarantine.readHistory(ranges);
      // Only to save time: whatever goes wrong with it is found out by asking again.
      if (history === null) this.foresee(project, updates, quarantine).catch(() => undefined);
      return history;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return null;
    }
  }

  private async foresee(
    project: ProjectRef,
    updates: readonly RefUpdate[],
    quarantine: Pick<QuarantineView, 'isAncestor'>,
  ): Promise<void> {
    const moves = updates.filter(
      ({ ref, oldOid, newOid }) =>
        ref.startsWith(BRANCH_PREFIX) && oldOid !== ZERO_OID && newOid !== ZERO_OID,
    );
    if (moves.length === 0 || moves.length > FORESEEN) return;
    const rules = await this.protectedBranches.rulesOf(project.id);
    const guarded = moves.filter(
      ({ ref }) => protectionOf(ref.slice(BRANCH_PREFIX.length), rules).protected,
    );
    await Promise.all(guarded.map(({ oldOid, newOid }) => quarantine.isAncestor(oldOid, newOid)));
  }

  /** Why each refused ref is refused; empty when the whole push may pass. */
  async refusals(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    quarantine: Pick<QuarantineView, 'isAncestor'>,
  ): Promise<Map<string, string>> {
    return this.judge(access, updates, {
      isForced: async ({ oldOid, newOid }) => !(await quarantine.isAncestor(oldOid, newOid)),
    });
  }

  /** Of updates that the API makes: its commits always follow what was there. */
  apiRefusals(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    { isMerge = false }: { isMerge?: boolean } = {},
  ): Promise<Map<string, string>> {
    return this.judge(access, updates, {
      isForced: () => Promise.resolve(false),
      mayDeleteTags: true,
      isMerge,
    });
  }

  private async judge(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    terms: Pick<PushConditions, 'isForced' | 'mayDeleteTags' | 'isMerge'>,
  ): Promise<Map<string, string>> {
    const { project } = access;
    const rules = await this.protectedBranches.rulesOf(project.id);
    const isEmpty = await this.storage.repository(project).isEmpty();
    return refusals(updates, {
      access,
      rules,
      mastersOnly:
        isEmpty && (await this.settings.current()).defaultBranchProtection === FULL_PROTECTION,
      ...terms,
    });
  }

  /**
   * The updates that change something and that git can still make, their refs being where the client
   * saw them. Of the others the refs' later values would tell nothing. Call with the push lock held.
   */
  async feasible({ project }: ProjectAccess, updates: readonly RefUpdate[]): Promise<RefUpdate[]> {
    const { refs } = this.storage.repository(project);
    const targets = await refs.getAll(updates.map(({ ref }) => ref));
    return updates.filter(({ oldOid, newOid }, at) => {
      const current = targets[at] ?? ZERO_OID;
      return current === oldOid && current !== newOid;
    });
  }
}

/** What a push brings unless somebody else moves the default branch before it is accepted. */
async function expectedRanges(
  { defaultBranch }: ProjectRef,
  repository: Repository,
  updates: readonly RefUpdate[],
): Promise<PushedRange[]> {
  const wanted = defaultBranch ?? (await repository.refs.head());
  const trunk = defaultBranch ?? conventionalBranch(wanted, updates);
  if (trunk === null) return branchRanges(updates, null, null);
  const move = updates.find(({ ref }) => ref === `${BRANCH_PREFIX}${trunk}`);
  const target = move?.newOid ?? (await repository.refs.get(`${BRANCH_PREFIX}${trunk}`));
  return branchRanges(updates, trunk, target === ZERO_OID ? null : target);
}
