import {
  NewObjects,
  ObjectMissingError,
  type Oid,
  type Repository,
  type Signature,
} from '../../../git/index.js';
import { enumeration } from '../../../platform/collections/index.js';
import type { MergeMethod } from '../../projects/index.js';
import type { MergeRequest, MergeResult } from '../model/merge-request.entity.js';
import { requiresBase } from '../model/merge-rules.js';

/** The heads of the target branch and the source branch of a merge. */
export interface Heads {
  readonly target: Oid;
  readonly head: Oid;
}

/** A merge of the head of a source branch into a target branch. */
export interface MergeOfHeads extends Heads {
  readonly method: MergeMethod;
  /** Author and committer of the merge commit. */
  readonly committer: Signature;
  readonly message: string;
  /** Of the squash commit. Null: the commits of the source branch are merged. */
  readonly squash: { readonly author: Signature; readonly message: string } | null;
}

/** The commits of a merge; `commitSha` is what the target branch moves to. */
export interface MergeCommits extends Omit<MergeResult, 'targetSha' | 'squash'> {
  readonly objects: NewObjects;
}

/**
 * Makes the commits of a merge without moving a branch (docs/reference/merge-requests.md#merge-methods).
 * @returns the commits, or why there are none: a conflict or nothing to merge, or a source branch that is not based on the
 *   head of the target branch
 */
export async function createMergeCommits(
  repository: Repository,
  merge: MergeOfHeads,
): Promise<MergeCommits | 'not-mergeable' | 'needs-rebase'> {
  const { method, target, head, committer, message } = merge;
  if (await repository.isAncestor(head, target)) return 'not-mergeable';
  const merged = await repository.mergeCommits(target, head);
  if (merged === null) return 'not-mergeable';
  if (requiresBase({ method }) && !(await repository.isAncestor(target, head))) {
    return 'needs-rebase';
  }
  const objects = new NewObjects();
  const squashCommitSha = await createSquashCommit(repository, objects, merge);
  const tip = squashCommitSha ?? head;
  if (method === 'ff') return { objects, commitSha: tip, mergeCommitSha: null, squashCommitSha };
  objects.addAll(merged.objects);
  const { tree } = merged;
  const parents = [target, tip];
  const commitSha = objects.commit({ tree, parents, author: committer, committer, message });
  return { objects, commitSha, mergeCommitSha: commitSha, squashCommitSha };
}

/** Makes one commit on the merge base that has the files of the head. Null if the merge does not squash. */
async function createSquashCommit(
  repository: Repository,
  objects: NewObjects,
  { target, head, committer, squash }: MergeOfHeads,
): Promise<Oid | null> {
  if (squash === null) return null;
  const [commit] = await repository.objects.commits([head]);
  const base = await repository.mergeBase(target, head);
  if (!commit || base === null) throw new ObjectMissingError(head);
  return objects.commit({ ...squash, tree: commit.tree, parents: [base], committer });
}

/** The commits of a source branch that are searched for an address, the newest ones. */
const SEARCHED_COMMITS = 100;

/** Returns whether a commit of the source branch has an e-mail address, as that of its author or committer. */
export async function namesAddress(
  repository: Repository,
  { target: exclude, head: start }: Heads,
  email: string,
): Promise<boolean> {
  const { oids } = await repository.history({ start, exclude, skip: 0, limit: SEARCHED_COMMITS });
  const commits = await repository.objects.listed(oids);
  const addresses = commits.flatMap(({ author, committer }) => [author.email, committer.email]);
  return addresses.some((address) => address.toLowerCase() === email.toLowerCase());
}

/**
 * Returns the default message of a merge commit (docs/reference/merge-requests.md#accepting).
 * @param closes the issues that the merge closes, as references within the target project
 */
export function mergeMessage(
  {
    sourceBranch,
    targetBranch,
    title,
    iid,
  }: Pick<MergeRequest, 'sourceBranch' | 'targetBranch' | 'title' | 'iid'>,
  closes: readonly string[],
): string {
  return [
    `Merge branch '${sourceBranch}' into '${targetBranch}'`,
    title,
    ...(closes.length === 0 ? [] : [`Closes ${enumeration(closes)}`]),
    `See merge request !${String(iid)}`,
  ].join('\n\n');
}
