import { type Cast, makeCast, ROLES, type Role } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf, TIMESTAMP, todosFor } from '../../support/issues.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('subscriptions and todos of issues', () => {
  let trellis: Trellis;
  let cast: Cast;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    owner = cast.people.owner as Person;
  });

  const person = (role: Role) => cast.people[role] as Person;

  it('require read access to the issue', async () => {
    for (const visibility of [0, 20] as const) {
      for (const confidential of [false, true]) {
        const place = cast.projects[visibility];
        const issue = await openIssue(trellis, owner, place, { confidential });
        for (const role of ROLES) {
          const caller = cast.people[role];
          const client = caller === null ? trellis.anonymous : trellis.as(caller);
          const { status: reads } = await client.get(pathOf(issue));
          // Whoever wrote it is subscribed already.
          const expected = reads === 200 && role === 'owner' ? 304 : reads;
          const subscribed = await client.post(`${pathOf(issue)}/subscription`);
          const ended = await client.delete(`${pathOf(issue)}/subscription`);
          const marked = await client.post(`${pathOf(issue)}/todo`);
          expect([role, subscribed.status, ended.status, marked.status]).toEqual([
            ...[role, expected, reads, reads],
          ]);
        }
      }
    }
  });

  it('include a subscription until the user unsubscribes', async () => {
    const issue = await openIssue(trellis, owner, cast.projects[20]);
    const guest = trellis.as(person('guest'));
    const path = `${pathOf(issue)}/subscription`;
    const subscribed = async () => {
      const { body } = await guest.get(pathOf(issue)).expect(200);
      return (body as IssueBody).subscribed;
    };
    await guest.delete(path).expect(304);
    expect(await subscribed()).toBe(false);
    const answer = await guest.post(path).expect(200);
    expect(answer.body).toEqual({ ...issue, subscribed: true });
    const again = await guest.post(path).expect(304);
    expect(again.text).toBe('');
    expect(await subscribed()).toBe(true);
    const ended = await guest.delete(path).expect(200);
    expect(ended.body).toEqual({ ...issue, subscribed: false });
    await guest.delete(path).expect(304);
    await trellis
      .as(owner)
      .put(pathOf(issue), { assignee_id: person('guest').user.id })
      .expect(200);
    expect(await subscribed()).toBe(false);
  });

  it('include authors and assignees automatically, until they unsubscribe', async () => {
    const guest = person('guest');
    const issue = await openIssue(trellis, owner, cast.projects[20], {
      assignee_id: guest.user.id,
    });
    for (const participant of [owner, guest]) {
      const client = trellis.as(participant);
      const path = `${pathOf(issue)}/subscription`;
      await client.post(path).expect(304);
      expect((await client.delete(path).expect(200)).body).toMatchObject({ subscribed: false });
      await client.delete(path).expect(304);
      expect((await client.post(path).expect(200)).body).toMatchObject({ subscribed: true });
    }
  });

  it('include one pending todo at a time', async () => {
    const issue = await openIssue(trellis, owner, cast.projects[20]);
    const guest = person('guest');
    const client = trellis.as(guest);
    const path = `${pathOf(issue)}/todo`;
    await trellis.rows(`UPDATE issues SET updated_at = '2016-01-01' WHERE id = $1`, [issue.id]);
    const { body } = await client.post(path).expect(200);
    expect(body).toMatchObject({
      id: expect.any(Number) as number,
      project: { id: issue.project_id },
      author: summaryOf(trellis, guest),
      action_name: 'marked',
      target_type: 'Issue',
      target: { id: issue.id, title: issue.title, upvotes: 0, downvotes: 0 },
      state: 'pending',
      created_at: TIMESTAMP,
    });
    const touched = (await client.get(pathOf(issue)).expect(200)).body as IssueBody;
    expect(touched.updated_at > issue.created_at).toBe(true);
    expect((await client.post(path).expect(304)).text).toBe('');
    expect(await todosFor(trellis, issue)).toHaveLength(1);
    await client.delete(`/todos/${String((body as { id: number }).id)}`).expect(200);
    await client.post(path).expect(200);
  });

  it('are created once by concurrent calls', async () => {
    const issue = await openIssue(trellis, owner, cast.projects[20]);
    const client = trellis.as(person('stranger'));
    const call = async (path: string) => (await client.post(`${pathOf(issue)}/${path}`)).status;
    for (const path of ['subscription', 'todo']) {
      const statuses = await Promise.all(Array.from({ length: 6 }, () => call(path)));
      expect([path, ...statuses.toSorted()]).toEqual([path, 200, 304, 304, 304, 304, 304]);
    }
  });

  it('require an issue of the project', async () => {
    const issue = await openIssue(trellis, owner, cast.projects[20]);
    const elsewhere = pathOf({ ...issue, project_id: cast.projects[10].id });
    for (const path of [elsewhere, pathOf({ ...issue, id: 2_147_483_647 })]) {
      const client = trellis.as(owner);
      for (const answer of [
        await client.post(`${path}/subscription`).expect(404),
        await client.delete(`${path}/subscription`).expect(404),
        await client.post(`${path}/todo`).expect(404),
      ]) {
        expect(answer.body).toEqual({ message: '404 Not found' });
      }
    }
  });
});
