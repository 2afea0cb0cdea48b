import { untilJobsRan } from '../../support/due-jobs.js';
import type { Person } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import {
  countLockWaits,
  untilWaitedFor,
  waitingFor,
  whileLocked,
} from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(240_000);

interface Approvals {
  approved: boolean;
  approvals_required: number;
  approvals_left: number;
  approved_by: { user: { id: number } }[];
  user_has_approved: boolean;
  user_can_approve: boolean;
}

const UNAUTHORIZED = { message: '401 Unauthorized' };
const NOT_ALLOWED = { message: '405 Method Not Allowed' };

describe('approvals', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let owner: Person;
  let developer: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
    place = await merging.place();
    owner = place.owner;
    developer = await memberOf(trellis, place.project, 30);
    other = await memberOf(trellis, place.project, 30);
  });
  afterAll(() => merging.end());

  const v4 = (person: Person) => trellis.as(person).v4;
  const at = ({ project_id, iid }: RequestBody, rest = '') =>
    `/projects/${String(project_id)}/merge_requests/${String(iid)}${rest}`;
  const approve = (by: Person, request: RequestBody, body: object = {}) =>
    v4(by).post(at(request, '/approve'), body);
  const withdraw = (by: Person, request: RequestBody) => v4(by).post(at(request, '/unapprove'));
  const merge = (request: RequestBody, body: object = {}) =>
    v4(owner).put(at(request, '/merge'), body);
  const show = async (request: RequestBody, by = owner): Promise<Approvals> =>
    (await v4(by).get(at(request, '/approvals')).expect(200)).body as Approvals;
  const approversOf = async (request: RequestBody): Promise<number[]> =>
    (await show(request)).approved_by.map(({ user }) => user.id);
  const statusOf = async (request: RequestBody): Promise<string> => {
    const { body } = await v4(owner).get(at(request)).expect(200);
    return (body as { detailed_merge_status: string }).detailed_merge_status;
  };
  const settings = (body: object, of = place) =>
    v4(owner).post(of.path('/approvals'), body).expect(201);
  const requiring = async (body: object): Promise<MergePlace> => {
    const made = await merging.place();
    await settings(body, made);
    for (const person of [developer, other]) {
      await trellis.factories.addToProject(made.project, person, 30);
    }
    return made;
  };

  describe('of a merge request', () => {
    it('are recorded in their order, and withdrawn', async () => {
      const request = await place.propose({ by: developer });
      expect(await show(request)).toMatchObject({
        approved: false,
        approvals_required: 0,
        approvals_left: 0,
        approved_by: [],
        user_has_approved: false,
        user_can_approve: true,
      });
      const first = await approve(owner, request, { sha: request.sha }).expect(201);
      expect(first.body).toMatchObject({
        iid: request.iid,
        approved: true,
        approved_by: [{ user: { id: owner.user.id, username: owner.user.username } }],
        user_has_approved: true,
        user_can_approve: false,
      });
      await approve(other, request).expect(201);
      expect(await approversOf(request)).toEqual([owner.user.id, other.user.id]);
      const gone = await withdraw(owner, request).expect(201);
      expect(gone.body).toMatchObject({
        approved: true,
        user_has_approved: false,
        user_can_approve: true,
      });
      await withdraw(owner, request).expect(404, { message: '404 Not Found' });
      expect(await approversOf(request)).toEqual([other.user.id]);
      expect(await place.notes(request)).toEqual([
        'approved this merge request',
        'approved this merge request',
        'unapproved this merge request',
      ]);
    });

    it('are refused for a second time, to the author, below developer, and for another head', async () => {
      const request = await place.propose({ by: developer });
      const reporter = await memberOf(trellis, place.project, 20);
      await approve(developer, request).expect(401, UNAUTHORIZED);
      await approve(reporter, request).expect(401, UNAUTHORIZED);
      expect(await show(request, developer)).toMatchObject({ user_can_approve: false });
      expect(await show(request, reporter)).toMatchObject({ user_can_approve: false });
      const message = `SHA does not match HEAD of source branch: ${request.sha}`;
      await approve(owner, request, { sha: place.head }).expect(409, { message });
      await approve(owner, request).expect(201);
      await approve(owner, request).expect(401, UNAUTHORIZED);
      expect(await approversOf(request)).toEqual([owner.user.id]);
    });

    it('are refused to those who may not read it, and where there is none', async () => {
      const hidden = await merging.place({ visibilityLevel: 0 });
      const request = await hidden.propose();
      const guest = await memberOf(trellis, hidden.project, 10);
      for (const action of [approve, withdraw]) {
        await action(guest, request).expect(403);
        await action(other, request).expect(404);
        await action(owner, { ...request, iid: 999_999 }).expect(404);
      }
      await trellis.anonymous.v4.post(at(request, '/approve')).expect(401);
    });

    it('need an open request, and stay with a merged one', async () => {
      const request = await place.propose({ by: developer });
      await place.update(request, { state_event: 'close' }).expect(200);
      await approve(owner, request).expect(401, UNAUTHORIZED);
      await place.update(request, { state_event: 'reopen' }).expect(200);
      await approve(owner, request).expect(201);
      await merge(request).expect(200);
      await withdraw(owner, request).expect(404);
      await approve(other, request).expect(401, UNAUTHORIZED);
      expect(await approversOf(request)).toEqual([owner.user.id]);
    });

    it('are refused in an archived project', async () => {
      const archived = await merging.place();
      const request = await archived.propose({ by: owner });
      await trellis.as(owner).post(archived.path('/archive')).expect(200);
      await trellis.factories.addToProject(archived.project, developer, 30);
      await approve(developer, request).expect(403);
      await withdraw(developer, request).expect(403);
    });

    it('are bounded in number', async () => {
      const request = await place.propose({ by: developer });
      await trellis.rows(
        `UPDATE merge_requests SET approved_by_ids = ARRAY(SELECT generate_series(-200, -1))
          WHERE id = $1`,
        [request.id],
      );
      const refused = await approve(owner, request).expect(400);
      expect(refused.body).toEqual({
        message: { approvals: ['are too many (maximum is 200)'] },
      });
    });

    it('are events of version 4 alone, finish the todo of their user, and fire no hook', async () => {
      const hook = await QueueingHook.ofProject(trellis, owner, place.project, {
        merge_requests_events: true,
      });
      const request = await place.propose({ by: developer });
      await v4(developer)
        .put(at(request), { reviewer_ids: [other.user.id] })
        .expect(200);
      await hook.queuedEvents();
      await approve(other, request).expect(201);
      await withdraw(other, request).expect(201);
      expect(await hook.queuedEvents()).toEqual([]);
      expect(await place.todos(request)).toEqual([
        {
          user_id: other.user.id,
          author_id: developer.user.id,
          action: 'review_requested',
          state: 'done',
        },
      ]);
      const path = `/users/${String(other.user.id)}/events`;
      const ofFour = await v4(owner).get(`${path}?action=approved`).expect(200);
      expect((ofFour.body as object[])[0]).toMatchObject({
        action_name: 'approved',
        target_type: 'MergeRequest',
        target_id: request.id,
        author_id: other.user.id,
      });
      const ofThree = await trellis.as(owner).get(path).expect(200);
      const names = (ofThree.body as { action_name: string }[]).map((one) => one.action_name);
      expect(names).not.toContain('approved');
      const feed = await trellis.as(owner).get(place.path('/events')).expect(200);
      const ofProject = (feed.body as { action_name: string }[]).map((one) => one.action_name);
      expect(ofProject).not.toContain('approved');
      expect(ofProject).toContain('opened');
    });

    it('are filters of lists', async () => {
      const listed = await merging.place();
      await trellis.factories.addToProject(listed.project, developer, 30);
      const [both, one, none] = [
        await listed.propose({ by: developer }),
        await listed.propose({ by: developer }),
        await listed.propose({ by: developer }),
      ];
      await trellis.factories.addToProject(listed.project, other, 30);
      await approve(owner, both).expect(201);
      await approve(other, both).expect(201);
      await approve(owner, one).expect(201);
      const path = `${listed.path('/merge_requests')}?sort=asc&`;
      const [mine, theirs] = [String(owner.user.id), String(other.user.id)];
      for (const [query, expected] of [
        [`approved_by_ids[]=${mine}`, [both, one]],
        [`approved_by_ids[]=${mine}&approved_by_ids[]=${theirs}`, [both]],
        ['approved_by_ids=Any', [both, one]],
        ['approved_by_ids=None', [none]],
        ['approved_by_ids[]=9999999999', []],
        [`approved_by_usernames[]=${other.user.username}`, [both]],
        ['approved_by_usernames[]=nobody-has-this', []],
      ] as const) {
        const { body } = await v4(owner).get(`${path}${query}`).expect(200);
        const ids = (body as RequestBody[]).map(({ id }) => id);
        expect([query, ids]).toEqual([query, expected.map(({ id }) => id)]);
      }
      await v4(owner)
        .get(`${path}approved_by_ids[]=x`)
        .expect(400, { error: 'approved_by_ids is invalid' });
      const pair = 'approved_by_ids, approved_by_usernames are mutually exclusive';
      await v4(owner)
        .get(`${path}approved_by_ids=1&approved_by_usernames=x`)
        .expect(400, { error: pair });
    });
  });

  describe('that a project requires', () => {
    it('are its settings, for maintainers', async () => {
      const body = { approvals_before_merge: 2, reset_approvals_on_push: true };
      const made = await merging.place();
      await trellis.factories.addToProject(made.project, developer, 30);
      const { body: changed } = await settings(body, made);
      expect(changed).toMatchObject(body);
      expect((await v4(developer).get(made.path('/approvals')).expect(200)).body).toEqual(changed);
      await settings({ approvals_before_merge: 1 }, made);
      expect((await v4(owner).get(made.path('/approvals')).expect(200)).body).toMatchObject({
        approvals_before_merge: 1,
        reset_approvals_on_push: true,
      });
      const path = made.path('/approvals');
      await trellis.anonymous.v4.post(path).send(body).expect(401);
      await v4(developer).post(path, body).expect(403);
      await v4(owner).post(path, {}).expect(400);
      for (const approvals_before_merge of [-1, 101, 'x']) {
        await v4(owner).post(path, { approvals_before_merge }).expect(400);
      }
    });

    it('are obeyed by the merges of both versions, and named by the status', async () => {
      const strict = await requiring({ approvals_before_merge: 2 });
      const request = await strict.propose({ by: developer });
      expect(await statusOf(request)).toBe('not_approved');
      await merge(request).expect(405, NOT_ALLOWED);
      await strict.accept(request).expect(405, NOT_ALLOWED);
      await approve(owner, request).expect(201);
      expect(await show(request)).toMatchObject({
        approved: false,
        approvals_required: 2,
        approvals_left: 1,
      });
      await strict.accept(request).expect(405, NOT_ALLOWED);
      await approve(other, request).expect(201);
      expect(await show(request)).toMatchObject({ approved: true, approvals_left: 0 });
      expect(await statusOf(request)).toBe('mergeable');
      await merge(request).expect(200);
    });

    it('are not enough once one is withdrawn amid the merge', async () => {
      const strict = await requiring({ approvals_before_merge: 1 });
      const request = await strict.propose({ by: developer });
      await approve(other, request).expect(201);
      const runner = trellis.dataSource.createQueryRunner();
      await runner.startTransaction();
      try {
        await runner.query('SELECT pg_advisory_xact_lock(7265002, $1)', [strict.project.id]);
        const merged = merge(request).then((answer) => answer);
        await untilWaitedFor(trellis, runner);
        await withdraw(other, request).expect(201);
        await runner.commitTransaction();
        expect((await merged).status).toBe(405);
      } finally {
        if (runner.isTransactionActive) await runner.rollbackTransaction();
        await runner.release();
      }
      expect(await statusOf(request)).toBe('not_approved');
    });

    it.each(['v3', 'v4'])('are awaited by an automatic merge of %s', async (version) => {
      const strict = await requiring({ approvals_before_merge: 1 });
      const request = await strict.propose({ by: developer });
      await strict.post(request, 'success').expect(200);
      const answer =
        version === 'v3'
          ? await strict.accept(request, { merge_when_build_succeeds: true }).expect(200)
          : await merge(request, { auto_merge: true }).expect(200);
      expect(answer.body).toMatchObject({ state: 'opened' });
      expect(await strict.notes(request)).toEqual([
        `enabled an automatic merge when all merge checks for ${request.sha} pass`,
      ]);
      await approve(other, request).expect(201);
      await untilJobsRan(trellis, async () => (await strict.read(request)).state === 'merged');
    });

    it('are all that an automatic merge of version 4 awaits without a build', async () => {
      const strict = await requiring({ approvals_before_merge: 1 });
      const [ofFour, ofThree] = [
        await strict.propose({ by: developer }),
        await strict.propose({ by: developer }),
      ];
      await merge(ofFour, { auto_merge: true }).expect(200);
      await strict.wait(ofThree);
      await approve(other, ofThree).expect(201);
      await approve(other, ofFour).expect(201);
      await untilJobsRan(trellis, async () => (await strict.read(ofFour)).state === 'merged');
      expect(await strict.read(ofThree)).toMatchObject({
        state: 'opened',
        merge_when_build_succeeds: true,
      });
      await strict.post(ofThree, 'success').expect(200);
      await untilJobsRan(trellis, async () => (await strict.read(ofThree)).state === 'merged');
    });

    it('keep an automatic merge waiting whose build succeeds first', async () => {
      const strict = await requiring({ approvals_before_merge: 1 });
      const request = await strict.propose({ by: developer });
      await strict.wait(request);
      await strict.post(request, 'success').expect(200);
      await untilJobsRan(trellis, async () => {
        const jobs = await trellis.rows(
          `SELECT FROM outbox WHERE name = 'merge-when-build-succeeds' AND payload->>'mergeRequestId' = $1`,
          [String(request.id)],
        );
        return jobs.length === 0;
      });
      expect(await strict.read(request)).toMatchObject({
        state: 'opened',
        merge_when_build_succeeds: true,
      });
      await approve(other, request).expect(201);
      await untilJobsRan(trellis, async () => (await strict.read(request)).state === 'merged');
    });
  });

  describe('beside a push', () => {
    let strict: MergePlace;

    beforeAll(async () => {
      strict = await requiring({ approvals_before_merge: 1, reset_approvals_on_push: true });
    });

    const push = (request: RequestBody, of = strict) =>
      of.commit(request.source_branch, { by: developer, message: 'More' });

    it('end where the project resets them, and stay otherwise', async () => {
      const [reset, kept] = [
        await strict.propose({ by: developer }),
        await place.propose({ by: developer }),
      ];
      for (const request of [reset, kept]) await approve(other, request).expect(201);
      await push(reset);
      await push(kept, place);
      expect(await approversOf(reset)).toEqual([]);
      expect(await approversOf(kept)).toEqual([other.user.id]);
      expect(await statusOf(reset)).toBe('not_approved');
      await merge(reset).expect(405);
    });

    it('stay when the target branch moves, and end with another one', async () => {
      const request = await strict.propose({ by: developer });
      await approve(other, request).expect(201);
      await strict.commit('master', { message: 'Meanwhile' });
      expect(await approversOf(request)).toEqual([other.user.id]);
      await strict.branch('elsewhere');
      await v4(owner).put(at(request), { target_branch: 'elsewhere' }).expect(200);
      expect(await approversOf(request)).toEqual([]);
    });

    it('do not outlive it when they come first', async () => {
      const request = await strict.propose({ by: developer });
      const sent = await whileLocked(trellis, 'notes', async () => {
        const approval = approve(other, request, { sha: request.sha }).then((answer) => answer);
        await until(async () => (await waitingFor(trellis, 'notes')).length > 0);
        const pushed = push(request);
        await until(async () => (await countLockWaits(trellis)) >= 2);
        return { approval, pushed };
      });
      const head = await sent.pushed;
      expect((await sent.approval).status).toBe(201);
      expect(await strict.read(request)).toMatchObject({ sha: head });
      expect(await approversOf(request)).toEqual([]);
    });

    it('are refused by their head when they come second', async () => {
      const request = await strict.propose({ by: developer });
      const sent = await whileLocked(trellis, 'merge_request_versions', async () => {
        const pushed = push(request);
        await until(async () => (await waitingFor(trellis, 'merge_request_versions')).length > 0);
        const approval = approve(other, request, { sha: request.sha }).then((answer) => answer);
        await until(async () => (await countLockWaits(trellis)) >= 2);
        return { approval, pushed };
      });
      await sent.pushed;
      expect((await sent.approval).status).toBe(409);
      expect(await approversOf(request)).toEqual([]);
    });

    it('count once for two of one user', async () => {
      const request = await strict.propose({ by: developer });
      const answers = await Promise.all([approve(other, request), approve(other, request)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
      expect(await approversOf(request)).toEqual([other.user.id]);
    });
  });
});
