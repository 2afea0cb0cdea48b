import type { MergeRequestState } from '../../../../src/modules/merge-requests/model/merge-request.entity.js';
import type { LocatedMergeRequest } from '../../../../src/modules/merge-requests/model/merge-requests.repository.js';
import { applyStateEvent } from '../../../../src/modules/merge-requests/changes/merge-request-change.js';

/** One that is to be merged when the build succeeds. */
const inState = (state: MergeRequestState): LocatedMergeRequest =>
  ({
    state,
    title: 'Add cache',
    mergeWhenBuildSucceeds: true,
    mergeUserId: 7,
    mergeCommitMessage: 'Text',
    shouldRemoveSourceBranch: true,
    forceRemoveSourceBranch: true,
  }) as LocatedMergeRequest;

describe('the state of a merge request', () => {
  it.each([
    ['opened', 'close', 'closed'],
    ['reopened', 'close', 'closed'],
    ['closed', 'close', 'closed'],
    ['merged', 'close', 'merged'],
    ['opened', 'reopen', 'opened'],
    ['reopened', 'reopen', 'reopened'],
    ['closed', 'reopen', 'reopened'],
    ['merged', 'reopen', 'merged'],
    ['opened', 'merge', 'opened'],
    ['closed', 'merge', 'closed'],
    ['opened', undefined, 'opened'],
  ] as const)('%s, %s: %s', (before, event, after) => {
    expect(applyStateEvent(inState(before), event).state).toBe(after);
  });

  it('stops waiting for the build when it is closed, and only then', () => {
    expect(applyStateEvent(inState('opened'), 'close')).toEqual({
      ...inState('closed'),
      mergeWhenBuildSucceeds: false,
      mergesWithoutBuild: false,
      mergeUserId: null,
      squashCommitMessage: null,
      mergeCommitMessage: null,
      shouldRemoveSourceBranch: false,
      shouldRemoveGiven: false,
    });
    for (const state of ['opened', 'merged'] as const) {
      expect(applyStateEvent(inState(state), 'merge')).toEqual(inState(state));
    }
    expect(applyStateEvent(inState('merged'), 'close')).toEqual(inState('merged'));
  });
});
