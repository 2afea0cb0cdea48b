import type { MergeRequest } from '../model/merge-request.entity.js';

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
