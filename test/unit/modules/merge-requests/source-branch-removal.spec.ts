import {
  acceptRemovalColumns,
  authorRemovalColumns,
  removalRequesterId,
  requestedByAuthor,
  requestedOnAccept,
  type SourceBranchRemoval,
} from '../../../../src/modules/merge-requests/model/source-branch-removal.js';

const AUTHOR = 1;
const MERGER = 2;

describe('the removal of the source branch', () => {
  it.each([true, false, null])('is read from the columns as submitted: %s', (removal) => {
    expect(requestedOnAccept(acceptRemovalColumns(removal))).toBe(removal);
    expect(requestedByAuthor(authorRemovalColumns(removal, AUTHOR))).toBe(removal);
  });

  it('is set in rows of older versions only if it is true', () => {
    const older = { shouldRemoveGiven: false, forceRemoveGiven: false };
    expect(requestedOnAccept({ ...older, shouldRemoveSourceBranch: true })).toBe(true);
    expect(requestedOnAccept({ ...older, shouldRemoveSourceBranch: false })).toBeNull();
    expect(requestedByAuthor({ ...older, forceRemoveSourceBranch: true })).toBe(true);
    expect(requestedByAuthor({ ...older, forceRemoveSourceBranch: false })).toBeNull();
  });

  it.each<[author: SourceBranchRemoval, merger: SourceBranchRemoval, requester: number | null]>([
    [true, true, MERGER],
    [false, true, MERGER],
    [null, true, MERGER],
    [true, false, AUTHOR],
    [true, null, AUTHOR],
    [false, false, null],
    [null, null, null],
  ])('asked for by the author: %s, by the merger: %s', (author, merger, requester) => {
    const accept = { ...acceptRemovalColumns(merger), userId: MERGER };
    expect(removalRequesterId(authorRemovalColumns(author, AUTHOR), accept)).toBe(requester);
  });

  it('has no requester when the row does not name the author', () => {
    const older = { ...authorRemovalColumns(true, AUTHOR), forceRemoveById: null };
    expect(removalRequesterId(older, { ...acceptRemovalColumns(null), userId: MERGER })).toBeNull();
  });
});
