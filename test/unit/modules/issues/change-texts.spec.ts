import type { Label, ListedPeople } from '../../../../src/modules/issuables/index.js';
import type { LocatedIssue } from '../../../../src/modules/issues/model/issues.repository.js';
import {
  changeTexts,
  type IssueChange,
} from '../../../../src/modules/issues/model/issue-change.js';

const ISSUE: LocatedIssue = {
  ...{ id: 1, iid: 1, projectId: 1, authorId: 1, assigneeIds: [], updatedById: null },
  ...{ milestoneId: null, title: 'Old', description: null, state: 'opened', confidential: false },
  ...{ timeEstimate: 0, totalTimeSpent: 0, discussionLocked: null },
  ...{ userNotesCount: 0, upvotes: 0, downvotes: 0 },
  ...{ dueDate: null, movedToId: null, createdAt: new Date(0), updatedAt: new Date(0) },
  projectPath: 'group/project',
};

const texts = (changes: Partial<LocatedIssue>, rows: Partial<IssueChange> = {}): string[] =>
  changeTexts({ before: ISSUE, after: { ...ISSUE, ...changes }, ...rows });

const labels = (...ids: number[]): Label[] => ids.map((id) => ({ id }) as Label);

const people = (ids: number[], added: string[] = [], removed: string[] = []): ListedPeople => {
  const [come, gone] = [added, removed].map((names) =>
    names.map((username) => ({ username }) as ListedPeople['added'][number]),
  );
  return { ids, added: come!, removed: gone! };
};

describe('the notes on a change', () => {
  it('are empty for unchanged fields, and for fields without text', () => {
    expect(texts({})).toEqual([]);
    expect(texts({ description: 'x', dueDate: '2017-01-31', updatedAt: new Date() })).toEqual([]);
    expect(texts({}, { labels: { added: [], removed: [] } })).toEqual([]);
  });

  it.each<[string, Partial<LocatedIssue>, Partial<IssueChange>]>([
    ['changed title from **Old** to **New**', { title: 'New' }, {}],
    ['assigned to @mia', { assigneeIds: [2] }, { assignees: people([2], ['mia']) }],
    ['assigned to @mia and @ben', {}, { assignees: people([2, 3], ['mia', 'ben']) }],
    ['assigned to @a, @b, and @c', {}, { assignees: people([2, 3, 4], ['a', 'b', 'c']) }],
    [
      'changed milestone to %2',
      { milestoneId: 9 },
      { milestone: { iid: 2, title: '1.0', groupId: null } },
    ],
    [
      'changed milestone to %"1.0"',
      { milestoneId: 9 },
      { milestone: { iid: 2, title: '1.0', groupId: 4 } },
    ],
    ['made the issue confidential', { confidential: true }, {}],
    ['closed', { state: 'closed' }, {}],
    ['closed via merge request !5', { state: 'closed' }, { via: 'merge request !5' }],
    ['added ~3 label', {}, { labels: { added: labels(3), removed: [] } }],
    ['added ~3 ~4 labels', {}, { labels: { added: labels(3, 4), removed: [] } }],
    ['removed ~3 label', {}, { labels: { added: [], removed: labels(3) } }],
    [
      'added ~1 label and removed ~2 label',
      {},
      { labels: { added: labels(1), removed: labels(2) } },
    ],
  ])('read: %s', (text, changes, rows) => {
    expect(texts(changes, rows)).toEqual([text]);
  });

  it.each<[string[], number[], ListedPeople]>([
    [['assigned to @mia'], [1], people([2], ['mia'])],
    [['assigned to @mia and unassigned @ben'], [1, 4], people([4, 2], ['mia'], ['ben'])],
    [['unassigned @ben and @mia'], [1, 2], people([], [], ['ben', 'mia'])],
    [['unassigned @ben'], [1, 2], people([2], [], ['ben'])],
    [[], [1, 2], people([2, 1])],
  ])('read: %j, for assignees %j before', (expected, assigneeIds, assignees) => {
    const before = { ...ISSUE, assigneeIds };
    const after = { ...ISSUE, assigneeIds: assignees.ids };
    expect(changeTexts({ before, after, assignees })).toEqual(expected);
  });

  it('name removed values', () => {
    const before: LocatedIssue = {
      ...{ ...ISSUE, assigneeIds: [2], milestoneId: 3, confidential: true, state: 'closed' },
    };
    expect(changeTexts({ before, after: ISSUE, assignees: people([]), milestone: null })).toEqual([
      ...['removed assignee', 'removed milestone', 'made the issue visible to everyone'],
      'reopened',
    ]);
  });
});
