import {
  type Admission,
  BRANCH_PREFIX,
  GitTimeoutError,
  type Oid,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import type { BranchHeads } from './merge-request-branches.js';
import type { VersionContents, VersionEnds } from './versions.repository.js';

/** The ref of the target project that the head of a merge request can be fetched by. */
export const headRef = (iid: number): string => `refs/merge-requests/${String(iid)}/head`;

/**
 * Copies the commits of a version into the target's repository, keeps them there when branches or the fork are
 * deleted, and updates the request's ref. Can be repeated.
 * @param admit decides about the objects that come from another project
 * @throws GitError
 * @throws what `admit` throws
 */
export async function keepCommits(
  { target, source }: Pick<BranchHeads, 'target' | 'source'>,
  iid: number,
  { start, head }: VersionEnds,
  admit?: Admission,
): Promise<void> {
  if (source !== null && source.path !== target.path) {
    const branches = await target.refs.list(BRANCH_PREFIX);
    const known = new Set(branches.map((branch) => branch.target));
    await target.takeFrom(source, head, [...known], admit);
  }
  await target.keepAround([start, head]);
  await setRef(target, headRef(iid), head);
}

/** Finds the merge base and the size of a version whose commits are in the repository. */
export async function describeVersion(
  repository: Repository,
  { start, head }: VersionEnds,
): Promise<VersionContents> {
  const base = await repository.mergeBase(start, head);
  const ends = { baseCommitSha: base, startCommitSha: start, headCommitSha: head };
  if (base === head) return { ...ends, state: 'empty', realSize: null };
  const { files, isCut } = await countFiles(repository, base, head);
  return {
    ...ends,
    state: isCut ? 'overflow' : 'collected',
    realSize: `${String(files)}${isCut ? '+' : ''}`,
  };
}

async function setRef({ refs }: Repository, ref: string, newOid: Oid): Promise<void> {
  const oldOid = (await refs.get(ref)) ?? ZERO_OID;
  if (oldOid !== newOid) await refs.update([{ ref, oldOid, newOid }]);
}

/** Counts the changed files. A diff that takes git too long is too large to be shown as well. */
async function countFiles(
  repository: Repository,
  base: Oid | null,
  head: Oid,
): Promise<{ files: number; isCut: boolean }> {
  try {
    const { entries, isCut } = await repository.diff(base, head);
    return { files: entries.length, isCut };
  } catch (error) {
    if (!(error instanceof GitTimeoutError)) throw error;
    return { files: 1_000, isCut: true };
  }
}
