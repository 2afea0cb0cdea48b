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
import type { ProjectRef } from '../../access/index.js';
import { branchRanges } from './payloads/pushed-commits.js';
import { conventionalBranch } from './recording/default-branch.js';

/**
 * Reads the history that a large push brings, before the push lock is acquired, since it may take long. Null
 * when the push is small, or git cannot read the history: it is read later then. If the default branch moves
 * meanwhile, the commits of new branches are compared with it again.
 */
export async function readHistoryAhead(
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
