import type { MergeRequest } from './merge-request.entity.js';

/**
 * Whether the merge is to remove the source branch
 * (docs/reference/merge-requests.md#removing-the-source-branch). `null`: the parameter was not sent; the branch
 * is kept.
 *
 * It can be said twice: by the user who creates or updates the request (`remove_source_branch`), and by the user
 * who accepts it (`should_remove_source_branch`). The columns of both are read and written by this file alone.
 */
export type SourceBranchRemoval = boolean | null;

type AcceptColumns = Pick<MergeRequest, 'shouldRemoveSourceBranch' | 'shouldRemoveGiven'>;
type AuthorColumns = Pick<MergeRequest, 'forceRemoveSourceBranch' | 'forceRemoveGiven'>;
type RequesterColumn = Pick<MergeRequest, 'forceRemoveById'>;

/** The columns that store what the user who accepts the request said. */
export const acceptRemovalColumns = (removal: SourceBranchRemoval): AcceptColumns => ({
  shouldRemoveSourceBranch: removal ?? false,
  shouldRemoveGiven: removal !== null,
});

/** The columns that store what the user who creates or updates the request said. */
export const authorRemovalColumns = (
  removal: SourceBranchRemoval,
  userId: number,
): AuthorColumns & RequesterColumn => ({
  forceRemoveSourceBranch: removal ?? false,
  forceRemoveGiven: removal !== null,
  forceRemoveById: removal === true ? userId : null,
});

/** The `should_remove_source_branch` of the request to merge. */
export const requestedOnAccept = (stored: AcceptColumns): SourceBranchRemoval =>
  removalOf(stored.shouldRemoveSourceBranch, stored.shouldRemoveGiven);

/** The `remove_source_branch` with which the merge request was created or last changed. */
export const requestedByAuthor = (stored: AuthorColumns): SourceBranchRemoval =>
  removalOf(stored.forceRemoveSourceBranch, stored.forceRemoveGiven);

/**
 * The ID of the user in whose name the merge removes the source branch: the one who accepted the request, if
 * they asked for it, else the one who asked for it before; null when no user did.
 */
export function removalRequesterId(
  mergeRequest: AuthorColumns & RequesterColumn,
  accept: AcceptColumns & { readonly userId: number },
): number | null {
  if (requestedOnAccept(accept) === true) return accept.userId;
  return requestedByAuthor(mergeRequest) === true ? mergeRequest.forceRemoveById : null;
}

// Versions without the `…Given` columns store only `true`; their `false` may be a default.
const removalOf = (remove: boolean, given: boolean): SourceBranchRemoval =>
  remove || given ? remove : null;
