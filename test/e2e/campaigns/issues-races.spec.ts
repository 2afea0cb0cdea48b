/** @campaign crowds */
import type { Person } from '../../support/factories.js';
import {
  expectRightCounts,
  type IssueBody,
  issueEvents,
  issuesOf,
  openCount,
  openIssue,
  pathOf,
  systemNotes,
} from '../../support/issues.js';
import { lengthOf } from '../../support/lengths.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(300_000);

const CREATIONS = lengthOf({ brief: 60, campaign: 500 });
const AT_ONCE = lengthOf({ brief: 20, campaign: 50 });

describe('concurrent changes of issues', () => {
  let trellis: Trellis;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  it('number issues consecutively, and count all', async () => {
    const project = await trellis.factories.project(owner);
    const numbers = Array.from({ length: CREATIONS }, (_, index) => index + 1);
    const made: IssueBody[] = [];
    const makeAll = async (mine: readonly number[]) => {
      for (const number of mine) {
        const body = { title: `Number ${String(number)}`, confidential: number % 5 === 0 };
        made.push(await openIssue(trellis, owner, project, body));
      }
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, part) =>
        makeAll(numbers.filter((number) => number % AT_ONCE === part)),
      ),
    );
    expect(made.map(({ iid }) => iid).sort((a, b) => a - b)).toEqual(numbers);
    expect(new Set(made.map(({ title }) => title)).size).toBe(CREATIONS);
    expect(await openCount(trellis, owner, project)).toBe(CREATIONS);
    expect(await issueEvents(trellis, project)).toHaveLength(CREATIONS);
    await expectRightCounts(trellis, project);
    const list = await trellis.as(owner).get(issuesOf(project)).expect(200);
    expect(list.headers['x-total']).toBe(String(CREATIONS));
  });

  it('leave no gap for a refused issue', async () => {
    const project = await trellis.factories.project(owner);
    const titles = ['one', '', 'two', 'x'.repeat(256), 'three'];
    await Promise.all(titles.map((title) => trellis.as(owner).post(issuesOf(project), { title })));
    const rows = await trellis.rows<{ iid: number }>(
      'SELECT iid FROM issues WHERE project_id = $1 ORDER BY iid',
      [project.id],
    );
    expect(rows.map(({ iid }) => iid)).toEqual([1, 2, 3]);
  });

  it('close an issue once', async () => {
    const project = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, project, { confidential: true });
    const close = () => trellis.as(owner).put(pathOf(issue), { state_event: 'close' }).expect(200);
    await Promise.all(Array.from({ length: 10 }, close));
    expect(await systemNotes(trellis, issue)).toEqual(['closed']);
    const events = await issueEvents(trellis, project);
    expect(events.map(({ action }) => action)).toEqual(['opened', 'closed']);
    await expectRightCounts(trellis, project);
  });

  it('keep changes of different fields, and right counts', async () => {
    const project = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, project);
    const changes = [
      ...[{ title: 'Changed' }, { description: 'Changed' }, { due_date: '2017-01-31' }],
      ...[{ labels: 'changed' }, { confidential: true }, { assignee_id: owner.user.id }],
      { state_event: 'close' },
    ];
    const send = (body: object) => trellis.as(owner).put(pathOf(issue), body).expect(200);
    await Promise.all(changes.map(send));
    const { body } = await trellis.as(owner).get(pathOf(issue)).expect(200);
    expect(body).toMatchObject({
      ...{ title: 'Changed', description: 'Changed', due_date: '2017-01-31', labels: ['changed'] },
      ...{ confidential: true, assignee: { id: owner.user.id }, state: 'closed' },
    });
    await expectRightCounts(trellis, project);
    const links = await trellis.rows(
      'SELECT state, confidential FROM label_links WHERE target_id = $1',
      [issue.id],
    );
    expect(links).toEqual([{ state: 'closed', confidential: true }]);
  });

  it('delete an issue once, and stop counting it', async () => {
    const project = await trellis.factories.project(owner);
    const issue = await openIssue(trellis, owner, project);
    const remove = async () => (await trellis.as(owner).delete(pathOf(issue))).status;
    const statuses = await Promise.all(Array.from({ length: 6 }, remove));
    expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
    await expectRightCounts(trellis, project);
  });

  it('move an issue once, and back and forth without a deadlock', async () => {
    const [here, there] = [
      await trellis.factories.project(owner),
      await trellis.factories.project(owner),
    ];
    const move = async (issue: IssueBody, to: { id: number }) =>
      (await trellis.as(owner).post(`${pathOf(issue)}/move`, { to_project_id: to.id })).status;
    const issue = await openIssue(trellis, owner, here);
    const statuses = await Promise.all(Array.from({ length: 5 }, () => move(issue, there)));
    expect(statuses.toSorted()).toEqual([200, 400, 400, 400, 400]);
    const issues = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        openIssue(trellis, owner, index % 2 === 0 ? here : there),
      ),
    );
    const crossing = await Promise.all(
      issues.map((one) => move(one, one.project_id === here.id ? there : here)),
    );
    expect(crossing).toEqual(issues.map(() => 200));
    await expectRightCounts(trellis, here);
    await expectRightCounts(trellis, there);
  });
});
