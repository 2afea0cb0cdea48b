import { ROLES, type Role } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import { answerOnCode } from '../../support/filled-cast.js';
import {
  type BranchedCast,
  makeBranchedCast,
  type MergeRequestBody,
  openMergeRequest,
  pathOf,
  todosFor,
} from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('subscriptions and todos of merge requests', () => {
  let trellis: Trellis;
  let cast: BranchedCast;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeBranchedCast(trellis);
    owner = cast.people.owner as Person;
  });

  const person = (role: Role) => cast.people[role] as Person;
  const opened = (visibility: 0 | 20 = 20, body: object = {}) =>
    openMergeRequest(trellis, owner, cast.projects[visibility], {
      source_branch: cast.fresh(),
      ...body,
    });

  it('require read access', async () => {
    for (const visibility of [0, 20] as const) {
      const request = await opened(visibility);
      for (const role of ROLES) {
        const caller = cast.people[role];
        const client = caller === null ? trellis.anonymous : trellis.as(caller);
        const reads = answerOnCode(role, visibility);
        // Whoever wrote it is subscribed already.
        const expected = role === 'owner' ? 304 : reads;
        const subscribed = await client.post(`${pathOf(request)}/subscription`);
        const ended = await client.delete(`${pathOf(request)}/subscription`);
        const marked = await client.post(`${pathOf(request)}/todo`);
        expect([role, subscribed.status, ended.status, marked.status]).toEqual([
          ...[role, expected, reads, reads],
        ]);
      }
    }
  });

  it('include a subscription until the user unsubscribes', async () => {
    const request = await opened();
    const guest = trellis.as(person('guest'));
    const path = `${pathOf(request)}/subscription`;
    await guest.delete(path).expect(304);
    const answer = await guest.post(path).expect(200);
    expect(answer.body).toEqual({ ...request, subscribed: true });
    const again = await guest.post(path).expect(304);
    expect(again.text).toBe('');
    const ended = await guest.delete(path).expect(200);
    expect(ended.body).toEqual({ ...request, subscribed: false });
  });

  it('include participants automatically', async () => {
    const [guest, reporter] = [person('guest'), person('reporter')];
    const request = await opened(20, {
      assignee_id: guest.user.id,
      description: `@${reporter.user.username}`,
    });
    for (const participant of [owner, guest, reporter]) {
      const { body } = await trellis.as(participant).get(pathOf(request)).expect(200);
      expect((body as MergeRequestBody).subscribed).toBe(true);
    }
  });

  it('include a todo that shows the merge request', async () => {
    const request = await opened();
    const reporter = person('reporter');
    const { body } = await trellis
      .as(reporter)
      .post(`${pathOf(request)}/todo`)
      .expect(200);
    expect(body).toMatchObject({
      action_name: 'marked',
      target_type: 'MergeRequest',
      target: { id: request.id, iid: request.iid, sha: cast.topic, upvotes: 0 },
      target_url: `${trellis.url}/${cast.projects[20].fullPath}/merge_requests/${String(request.iid)}`,
      body: 'Add a topic',
      state: 'pending',
    });
    await trellis
      .as(reporter)
      .post(`${pathOf(request)}/todo`)
      .expect(304);
    const list = await trellis.as(reporter).get('/todos?type=MergeRequest').expect(200);
    expect(list.body).toContainEqual(body);
    expect(await todosFor(trellis, request)).toEqual([
      {
        user_id: reporter.user.id,
        action: 'marked',
        state: 'pending',
        author_id: reporter.user.id,
      },
    ]);
  });

  it('end for a guest without access', async () => {
    const guest = person('guest');
    const request = await opened(0, { assignee_id: guest.user.id });
    const todos = async () =>
      (await trellis.as(guest).get('/todos?type=MergeRequest').expect(200)).body as unknown[];
    const before = (await todos()).length;
    await trellis.as(owner).put(pathOf(request), { assignee_id: 0 }).expect(200);
    expect(await todos()).toHaveLength(before - 1);
  });

  it('count open merge requests for labels and milestones', async () => {
    const { id } = cast.projects[20];
    const request = await opened(20, { labels: 'counted' });
    const counts = async (by: Person) => {
      const { body } = await trellis
        .as(by)
        .get(`/projects/${String(id)}/labels?per_page=100`)
        .expect(200);
      const labels = body as { name: string; open_merge_requests_count: number }[];
      return labels.find(({ name }) => name === 'counted')?.open_merge_requests_count;
    };
    expect(await counts(owner)).toBe(1);
    await trellis.as(owner).put(pathOf(request), { state_event: 'close' }).expect(200);
    expect(await counts(owner)).toBe(0);
    await trellis.as(owner).put(pathOf(request), { state_event: 'reopen' }).expect(200);
    expect(await counts(owner)).toBe(1);
    await trellis
      .as(owner)
      .delete(`/projects/${String(id)}/labels?name=counted`)
      .expect(200);
    const { body } = await trellis.as(owner).get(pathOf(request)).expect(200);
    expect((body as MergeRequestBody).labels).toEqual([]);
  });
});
