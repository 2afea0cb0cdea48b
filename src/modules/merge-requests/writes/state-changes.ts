import { isOpen } from '../merge-request.entity.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';

/**
 * `merge` is understood and does nothing
 * (docs/reference/merge-requests.md#put-projectsidmerge_requestsmerge_request_id).
 */
export type StateEvent = 'close' | 'reopen' | 'merge';

/**
 * What closing takes from a request that was to be merged when the build succeeds
 * (docs/reference/merge-requests.md#merging-when-the-build-succeeds).
 */
export const NOT_TO_BE_MERGED = {
  mergeWhenBuildSucceeds: false,
  mergeUserId: null,
  mergeCommitMessage: null,
  shouldRemoveSourceBranch: false,
  shouldRemoveGiven: false,
} as const;

/** A request after an event: a merged one stays so, and only what is closed is reopened. */
export function afterEvent(
  mergeRequest: LocatedMergeRequest,
  event: StateEvent | undefined,
): LocatedMergeRequest {
  if (event === 'close' && isOpen(mergeRequest)) {
    return { ...mergeRequest, ...NOT_TO_BE_MERGED, state: 'closed' };
  }
  if (event === 'reopen' && mergeRequest.state === 'closed') {
    return { ...mergeRequest, state: 'reopened' };
  }
  return mergeRequest;
}
