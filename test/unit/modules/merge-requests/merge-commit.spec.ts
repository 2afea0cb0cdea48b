import { mergeMessage } from '../../../../src/modules/merge-requests/accept/merge-commit.js';

const REQUEST = {
  sourceBranch: 'feature/cache',
  targetBranch: 'master',
  title: 'Add a cache',
  iid: 7,
};

describe('the message of a merge commit', () => {
  it('names the branches, the title and the request', () => {
    expect(mergeMessage(REQUEST, [])).toBe(
      "Merge branch 'feature/cache' into 'master'\n\nAdd a cache\n\nSee merge request !7",
    );
  });

  it.each([
    [['#1'], 'Closes #1'],
    [['#1', '#2'], 'Closes #1 and #2'],
    [['#1', '#2', 'other#3'], 'Closes #1, #2, and other#3'],
    [['#1', '#2', '#3', 'a/b#4'], 'Closes #1, #2, #3, and a/b#4'],
  ])('says that %j are closed', (closes, line) => {
    expect(mergeMessage(REQUEST, closes)).toBe(
      `Merge branch 'feature/cache' into 'master'\n\nAdd a cache\n\n${line}\n\nSee merge request !7`,
    );
  });
});
