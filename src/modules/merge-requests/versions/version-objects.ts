import {
  type Admission,
  BRANCH_PREFIX,
  type Oid,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import type { BranchHeads } from './request-branches.js';

/** Where a version begins and ends. */
export interface VersionEnds {
  start: Oid;
  head: Oid;
}

/** The ref by which the head of a merge request is fetched from its target project. */
export const headRef = (iid: number): string => `refs/merge-requests/${String(iid)}/head`;

/**
 * Makes the commits of a version stay in the target's repository, whatever becomes of the branches and of
 * the fork, and lets the request's ref follow. Can be repeated.
 * @param admit decides about the objects that come from another project
 * @throws GitError
 * @throws whatever `admit` throws
 */
export async function keepVersion(
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
  await follow(target, headRef(iid), head);
}

async function follow({ refs }: Repository, ref: string, newOid: Oid): Promise<void> {
  const oldOid = (await refs.get(ref)) ?? ZERO_OID;
  if (oldOid !== newOid) await refs.update([{ ref, oldOid, newOid }]);
}
