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
import type { ProjectRef } from '../../authorization/index.js';
import { ProjectStorage, StorageQuota } from '../../storage/index.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import { protectionOf } from '../protection/protection.policy.js';
import { branchRanges } from './payloads/pushed-commits.js';
import { conventionalBranch } from './recording/default-branch.js';

/** The most refs of a push whose ancestry is prefetched: each takes a process of git. */
const MAX_PREFETCHED = 2;

/** Reads what may take long of a push in quarantine, before the push lock is acquired. */
@Injectable()
export class PushPreparation {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly protectedBranches: ProtectedBranchesRepository,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * Returns the history that a large push brings, null if it is to be read later, and the size of the pushed objects on
   * disk, 0 when storage is not limited.
   */
  async prepare(
    project: ProjectRef,
    updates: readonly RefUpdate[],
    quarantine: QuarantineView,
  ): Promise<{ history: PushHistory | null; bytes: number }> {
    const repository = this.storage.repository(project);
    const history = await readHistoryAhead(project, repository, updates, quarantine);
    // A failure is ignored: the rules of the push ask again.
    if (history === null) this.lookUpAncestry(project, updates, quarantine).catch(() => undefined);
    return { history, bytes: this.quota.isLimited ? await quarantine.size() : 0 };
  }

  /** Has git look up the ancestry that the rules ask for, in small pushes to protected branches. */
  private async lookUpAncestry(
    project: ProjectRef,
    updates: readonly RefUpdate[],
    quarantine: QuarantineView,
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

/**
 * Reads the history that a large push brings, before the push lock is acquired, since it may take long. Null
 * when the push is small, or git cannot read the history: it is read later then. If the default branch moves
 * meanwhile, the commits of new branches are compared with it again.
 */
async function readHistoryAhead(
  project: ProjectRef,
  repository: Repository,
  updates: readonly RefUpdate[],
  quarantine: QuarantineView,
): Promise<PushHistory | null> {
  try {
    const ranges = await expectedRanges(project, repository, updates);
    return ranges.length === 0 ? null : await quarantine.readHistory(ranges);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return null;
  }
}

/** Returns the ranges of commits that the push brings, unless the default branch moves before it is accepted. */
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
