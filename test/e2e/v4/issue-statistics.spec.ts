import type { Client } from '../../support/client.js';
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, makeMilestone, openIssue } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

describe('issue statistics of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let guest: Person;
  let stranger: Person;
  let group: MadeGroup;
  let project: MadeProject;
  let issues: IssueBody[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    guest = await factories.user();
    stranger = await factories.user();
    group = await factories.group(owner, { visibilityLevel: 20 });
    const namespaceId = group.id;
    project = await factories.project(owner, { visibilityLevel: 20, namespaceId });
    await factories.addToProject(project, guest, 10);
    const milestone = await makeMilestone(trellis, project, 'v1.0');
    issues = [];
    for (const body of [
      { labels: 'a,b', assignee_id: guest.user.id },
      { labels: 'a', milestone_id: milestone },
      { description: 'Needle', labels: 'a' },
      { confidential: true },
    ]) {
      issues.push(await openIssue(trellis, owner, project, body));
    }
    const [, second] = issues;
    await v4(owner)
      .put(`${at()}/issues/${String(second?.iid)}`, { state_event: 'close' })
      .expect(200);
  });

  const v4 = (person: Person | null): Client =>
    person === null ? trellis.anonymous.v4 : trellis.as(person).v4;
  const at = () => `/projects/${String(project.id)}`;
  const count = async (person: Person | null, path: string): Promise<number[]> => {
    const { body } = await v4(person).get(path).expect(200);
    const { all, opened, closed, ...others } = (
      body as { statistics: { counts: Record<string, number> } }
    ).statistics.counts;
    expect(others).toEqual({});
    return [all, opened, closed] as number[];
  };

  it('count the issues of a project that the caller may read, whatever state is asked for', async () => {
    const path = `${at()}/issues_statistics`;
    expect(await count(owner, path)).toEqual([4, 3, 1]);
    expect(await count(owner, `${path}?state=closed&per_page=1`)).toEqual([4, 3, 1]);
    for (const one of [guest, stranger, null]) expect(await count(one, path)).toEqual([3, 2, 1]);
    const hidden = await trellis.factories.project(owner);
    for (const one of [stranger, null]) {
      await v4(one)
        .get(`/projects/${String(hidden.id)}/issues_statistics`)
        .expect(404);
    }
    expect(await count(owner, `/projects/${String(hidden.id)}/issues_statistics`)).toEqual([
      0, 0, 0,
    ]);
  });

  it.each([
    ['labels=a', [3, 2, 1]],
    ['labels=a,b', [1, 1, 0]],
    ['labels=None', [1, 1, 0]],
    ['labels=absent', [0, 0, 0]],
    ['milestone=None', [3, 3, 0]],
    ['milestone=Any', [1, 0, 1]],
    ['search=needle', [1, 1, 0]],
    ['confidential=true', [1, 1, 0]],
    ['scope=assigned_to_me', [0, 0, 0]],
    ['scope=created_by_me', [4, 3, 1]],
  ])('filter by %s', async (query, expected) => {
    expect(await count(owner, `${at()}/issues_statistics?${query}`)).toEqual(expected);
  });

  it('filter by people and numbers', async () => {
    const path = `${at()}/issues_statistics`;
    const assigned = `assignee_id=${String(guest.user.id)}`;
    expect(await count(owner, `${path}?${assigned}`)).toEqual([1, 1, 0]);
    expect(await count(owner, `${path}?iids[]=1&iids[]=2`)).toEqual([2, 1, 1]);
    expect(await count(guest, `${path}?scope=assigned_to_me`)).toEqual([1, 1, 0]);
    await v4(owner).get(`${path}?assignee_id=x`).expect(400);
  });

  it('count those of a group, and across projects by default those that the caller created', async () => {
    const ofGroup = `/groups/${group.path}/issues_statistics`;
    expect(await count(owner, ofGroup)).toEqual([4, 3, 1]);
    expect(await count(stranger, ofGroup)).toEqual([3, 2, 1]);
    expect(await count(null, ofGroup)).toEqual([3, 2, 1]);
    expect(await count(owner, '/issues_statistics')).toEqual([4, 3, 1]);
    expect(await count(stranger, '/issues_statistics')).toEqual([0, 0, 0]);
    expect(await count(guest, '/issues_statistics?scope=assigned_to_me')).toEqual([1, 1, 0]);
    const all = `/issues_statistics?scope=all&author_id=${String(owner.user.id)}`;
    expect(await count(owner, all)).toEqual([4, 3, 1]);
    expect(await count(null, all)).toEqual([3, 2, 1]);
    await v4(null).get('/issues_statistics').expect(401);
  });
});
