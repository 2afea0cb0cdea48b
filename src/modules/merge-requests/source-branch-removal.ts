import type { MergeRequest } from './merge-request.entity.js';

/** Whether a client asked to remove the source branch. `null`: the parameter was not sent; the branch is kept. */
export type SourceBranchRemoval = boolean | null;

type AcceptColumns = Pick<MergeRequest, 'shouldRemoveSourceBranch' | 'shouldRemoveGiven'>;
type AuthorColumns = Pick<MergeRequest, 'forceRemoveSourceBranch' | 'forceRemoveGiven'>;

/** The columns that store the `should_remove_source_branch` of a request to merge. */
export const storedRemoval = (removal: SourceBranchRemoval): AcceptColumns => ({
  shouldRemoveSourceBranch: removal ?? false,
  shouldRemoveGiven: removal !== null,
});

/** The `should_remove_source_branch` of the request to merge. */
export const requestedOnAccept = (stored: AcceptColumns): SourceBranchRemoval =>
  removalOf(stored.shouldRemoveSourceBranch, stored.shouldRemoveGiven);

/** The `remove_source_branch` with which the merge request was created or last changed. */
export const requestedByAuthor = (stored: AuthorColumns): SourceBranchRemoval =>
  removalOf(stored.forceRemoveSourceBranch, stored.forceRemoveGiven);

// Versions without the `…Given` columns store only `true`; their `false` may be a default.
const removalOf = (remove: boolean, given: boolean): SourceBranchRemoval =>
  remove || given ? remove : null;
