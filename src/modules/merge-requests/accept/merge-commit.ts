import { NewObjects, type Oid, type Repository } from '../../../git/index.js';
import { committerOf } from '../../repository/index.js';
import type { User } from '../../users/index.js';
import type { MergeRequest } from '../model/merge-request.entity.js';

/** Merges two commits without moving a branch. Null when there is a conflict or nothing to merge. */
export async function createMergeCommit(
  repository: Repository,
  user: User,
  parents: readonly [ours: Oid, theirs: Oid],
  message: string,
): Promise<{ objects: NewObjects; oid: Oid } | null> {
  const [ours, theirs] = parents;
  if (await repository.isAncestor(theirs, ours)) return null;
  const merged = await repository.mergeCommits(ours, theirs);
  if (merged === null) return null;
  const objects = new NewObjects();
  objects.addAll(merged.objects);
  const committer = committerOf(user);
  const { tree } = merged;
  const oid = objects.commit({ tree, parents, author: committer, committer, message });
  return { objects, oid };
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

/** `a`, `a and b`, `a, b, and c`. */
function enumeration(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ');
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1) ?? ''}`;
}
