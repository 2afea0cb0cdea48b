import { Injectable, Logger } from '@nestjs/common';
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
} from '../../../git/index.js';
import type { LockedProject } from './push-intents.repository.js';

/** How many of the newest commits of each branch are named. */
const NAMED = 100;
/** The same in a push of more branches than `FEW`, the default branch excepted. */
const NAMED_OF_MANY = 20;
const FEW = 100;
/** Of the branches beyond, in the order of the push, it is not found out what they brought. */
const MOST_BRANCHES = 10_000;

/** What the branches of a push have brought, by their refs; nothing for one that is not in it. */
export type Brought = ReadonlyMap<string, PushedCommits>;

interface BranchRange extends PushedRange {
  ref: string;
}

/**
 * Which commits count for each branch of a push: those since its old value, of a new branch those that the
 * default branch does not have after the push, of a new default branch all.
 * @param trunk where the default branch is after the push
 */
export function branchRanges(
  updates: readonly RefUpdate[],
  defaultBranch: string | null,
  trunk: Oid | null,
): BranchRange[] {
  const branches = updates.filter(
    ({ ref, newOid }) => ref.startsWith(BRANCH_PREFIX) && newOid !== ZERO_OID,
  );
  const limit = branches.length > FEW ? NAMED_OF_MANY : NAMED;
  return branches.slice(0, MOST_BRANCHES).map(({ ref, oldOid, newOid: tip }) => {
    const isDefault = ref === `${BRANCH_PREFIX}${defaultBranch ?? ''}`;
    const base = oldOid !== ZERO_OID ? oldOid : isDefault ? null : trunk;
    return { ref, tip, base, limit: isDefault ? NAMED : limit };
  });
}

/** Finds out what pushes have brought. */
@Injectable()
export class BroughtCommits {
  private readonly logger = new Logger(BroughtCommits.name);

  /**
   * Call when git has made the updates, with the push lock held. A push that has happened is recorded whatever git
   * can still say of it: what cannot be found out is logged and missing.
   * @param history as it was read before, if it was
   */
  async of(
    { id, defaultBranch }: Pick<LockedProject, 'id' | 'defaultBranch'>,
    repository: Repository,
    updates: readonly RefUpdate[],
    history: PushHistory | null = null,
  ): Promise<Brought> {
    const trunk =
      defaultBranch === null ? null : await repository.refs.get(`${BRANCH_PREFIX}${defaultBranch}`);
    const ranges = branchRanges(updates, defaultBranch, trunk);
    const brought = new Map<string, PushedCommits>();
    for (const [at, result] of (await this.find(repository, ranges, history)).entries()) {
      if (result.status === 'fulfilled') brought.set(ranges[at]?.ref ?? '', result.value);
      else {
        const project = `project ${String(id)}`;
        this.logger.warn(`What was pushed to ${project} cannot be told`, result.reason);
      }
    }
    return brought;
  }

  private async find(
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
}
