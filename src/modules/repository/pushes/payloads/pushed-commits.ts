import { Logger } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  GitClosedError,
  GitError,
  type Oid,
  type PushedCommits,
  type PushedRange,
  type PushHistory,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../../git/index.js';
import type { LockedProject } from '../pushes.repository.js';

const logger = new Logger('PushedCommits');

/** How many of the newest commits of each branch are read. */
const NEWEST_COMMITS = 100;
/** The same in a push of more than `MANY_BRANCHES` branches, except for the default branch. */
const NEWEST_COMMITS_OF_MANY = 20;
const MANY_BRANCHES = 100;
/** Commits are read of so many branches of a push, in its order. One that an earlier version accepted may have more. */
const MAX_BRANCHES = 10_000;

/** The commits that a push brought to each branch, by ref. */
export type CommitsOfBranches = ReadonlyMap<string, PushedCommits>;

interface BranchRange extends PushedRange {
  ref: string;
}

/**
 * Returns the range of commits that a push brings to each branch: those since its old value; for a new branch
 * those that the default branch lacks after the push; for a new default branch all.
 * @param trunk the value of the default branch after the push
 */
export function branchRanges(
  updates: readonly RefUpdate[],
  defaultBranch: string | null,
  trunk: Oid | null,
): BranchRange[] {
  const branches = updates.filter(
    ({ ref, newOid }) => ref.startsWith(BRANCH_PREFIX) && newOid !== ZERO_OID,
  );
  const limit = branches.length > MANY_BRANCHES ? NEWEST_COMMITS_OF_MANY : NEWEST_COMMITS;
  return branches.slice(0, MAX_BRANCHES).map(({ ref, oldOid, newOid: tip }) => {
    const isDefault = ref === `${BRANCH_PREFIX}${defaultBranch ?? ''}`;
    const base = oldOid !== ZERO_OID ? oldOid : isDefault ? null : trunk;
    return { ref, tip, base, limit: isDefault ? NEWEST_COMMITS : limit };
  });
}

/**
 * Reads the commits that a push brought to its branches. Call when git has made the updates, with the push
 * lock held. The push is recorded even if git cannot read its commits: such a branch is logged and left out.
 * @param history of the push, if it was read already
 */
export async function readPushedCommits(
  { id, defaultBranch }: Pick<LockedProject, 'id' | 'defaultBranch'>,
  repository: Repository,
  updates: readonly RefUpdate[],
  history: PushHistory | null = null,
): Promise<CommitsOfBranches> {
  const trunk =
    defaultBranch === null ? null : await repository.refs.get(`${BRANCH_PREFIX}${defaultBranch}`);
  const ranges = branchRanges(updates, defaultBranch, trunk);
  const commits = new Map<string, PushedCommits>();
  for (const [at, result] of (await readRanges(repository, ranges, history)).entries()) {
    if (result.status === 'fulfilled') commits.set(ranges[at]?.ref ?? '', result.value);
    else {
      logger.warn(`Commits pushed to project ${String(id)} cannot be read`, result.reason);
    }
  }
  return commits;
}

async function readRanges(
  repository: Repository,
  ranges: readonly PushedRange[],
  history: PushHistory | null,
): Promise<PromiseSettledResult<PushedCommits>[]> {
  try {
    return await repository.pushedCommitsOfEach(ranges, history);
  } catch (reason) {
    if (!(reason instanceof GitError) || reason instanceof GitClosedError) throw reason;
    return [{ status: 'rejected', reason }];
  }
}
