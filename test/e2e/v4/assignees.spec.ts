import type { QueryRunner } from 'typeorm';
import { AccountErasure } from '../../../src/modules/users/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { issuesOf, systemNotes } from '../../support/issues.js';
import {
  type BranchedCast,
  makeBranchedCast,
  mergeRequestsOf,
  systemNotes as systemNotesOfRequest,
} from '../../support/merge-requests.js';
import { untilWaitedFor } from '../../support/table-lock.js';
import { reasonsOf } from '../../support/todos.js';
import { Trellis } from '../../support/trellis.js';
import type { NumberedBody } from '../../support/v4-bodies.js';

jest.setTimeout(120_000);

interface Assigned extends NumberedBody {
  assignee: { id: number } | null;
  assignees: { id: number }[];
  reviewers?: { id: number }[];
}

describe('several assignees and reviewers', () => {
  let trellis: Trellis;
  let cast: BranchedCast;
  let project: MadeProject;
  let owner: Person;
  let developer: Person;
  let guest: Person;
  let stranger: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeBranchedCast(trellis);
    project = cast.projects[0];
    [owner, developer] = [cast.people.owner as Person, cast.people.developer as Person];
    [guest, stranger] = [cast.people.guest as Person, cast.people.stranger as Person];
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const ids = (...people: Person[]): number[] => people.map(({ user }) => user.id);
  const shown = ({ assignee, assignees }: Assigned) => {
    expect(assignee?.id).toBe(assignees[0]?.id);
    return assignees.map(({ id }) => id);
  };
  const reviewing = ({ reviewers = [] }: Assigned) => reviewers.map(({ id }) => id);

  const KINDS = ['issue', 'merge request'] as const;
  type Kind = (typeof KINDS)[number];

  const listOf = (kind: Kind) => (kind === 'issue' ? issuesOf : mergeRequestsOf)(project);

  async function create(kind: Kind, body: object): Promise<Assigned> {
    const branches =
      kind === 'issue' ? {} : { source_branch: cast.fresh(), target_branch: 'master' };
    const answer = await v4(owner)
      .post(listOf(kind), { title: 'Shared work', ...branches, ...body })
      .expect(201);
    return answer.body as Assigned;
  }

  const at = (kind: Kind, { iid }: { iid: number }) => `${listOf(kind)}/${String(iid)}`;
  const older = (kind: Kind, { id }: { id: number }) => `${listOf(kind)}/${String(id)}`;

  async function put(kind: Kind, made: Assigned, body: object): Promise<Assigned> {
    const answer = await v4(owner).put(at(kind, made), body).expect(200);
    return answer.body as Assigned;
  }

  async function putInV3(kind: Kind, made: Assigned, body: object): Promise<Assigned> {
    await trellis.as(owner).put(older(kind, made), body).expect(200);
    return (await v4(owner).get(at(kind, made)).expect(200)).body as Assigned;
  }

  describe.each(KINDS)('of one %s', (kind) => {
    const notesOf = (made: Assigned) =>
      (kind === 'issue' ? systemNotes : systemNotesOfRequest)(trellis, made);

    it('are kept in their order, once each, without users who may not read the project', async () => {
      const wanted = [...ids(developer, owner, stranger, developer), 2_147_483_647, 0];
      const made = await create(kind, { assignee_ids: wanted });
      expect(shown(made)).toEqual(ids(developer, owner));
      const read = await v4(owner).get(at(kind, made)).expect(200);
      expect(shown(read.body as Assigned)).toEqual(ids(developer, owner));
      const [listed] = (await v4(owner).get(`${listOf(kind)}?iids[]=${String(made.iid)}`))
        .body as Assigned[];
      expect(shown(listed!)).toEqual(ids(developer, owner));
      expect(shown(await put(kind, made, { title: 'Renamed' }))).toEqual(ids(developer, owner));
      expect(shown(await put(kind, made, { assignee_ids: ids(guest, developer) }))).toEqual(
        ids(guest, developer),
      );
      expect(shown(await put(kind, made, { assignee_id: owner.user.id }))).toEqual(ids(owner));
      const [name, added] = [owner, guest].map(({ user }) => `@${user.username}`);
      expect((await notesOf(made)).slice(-2)).toEqual([
        `assigned to ${String(added)} and unassigned ${String(name)}`,
        `assigned to ${String(name)} and unassigned ${String(added)} and @${developer.user.username}`,
      ]);
    });

    it.each([
      ['0', { assignee_ids: [0] }],
      ['an empty list', { assignee_ids: [] }],
      ['null', { assignee_ids: null }],
      ['an empty value', { assignee_ids: '' }],
      ['0 for one', { assignee_id: 0 }],
    ])('are cleared by %s', async (_name, body) => {
      const made = await create(kind, { assignee_ids: ids(owner, developer) });
      expect(shown(await put(kind, made, body))).toEqual([]);
    });

    it('are 200 at most', async () => {
      const made = await create(kind, {});
      const many = Array.from({ length: 201 }, (_, index) => index + 1);
      await v4(owner)
        .put(at(kind, made), { assignee_ids: many })
        .expect(400, { message: { assignees: ['are too many (maximum is 200)'] } });
      await v4(owner)
        .put(at(kind, made), { assignee_ids: many.slice(1) })
        .expect(200);
    });

    it('are shown by version 3 as their first, which sets the only one unless it is the first', async () => {
      const made = await create(kind, { assignee_ids: ids(owner, developer) });
      const { body } = await trellis.as(owner).get(older(kind, made)).expect(200);
      expect(body).toMatchObject({ assignee: { id: owner.user.id } });
      expect(body).not.toHaveProperty('assignees');
      const kept = await putInV3(kind, made, { assignee_id: owner.user.id, title: 'As read' });
      expect(shown(kept)).toEqual(ids(owner, developer));
      expect(shown(await putInV3(kind, made, { assignee_id: developer.user.id }))).toEqual(
        ids(developer),
      );
      expect(shown(await put(kind, made, { assignee_ids: ids(guest, owner) }))).toHaveLength(2);
      expect(shown(await putInV3(kind, made, { assignee_id: 0 }))).toEqual([]);
    });

    it('each get a todo when they are added, and take part', async () => {
      const made = await create(kind, { assignee_ids: ids(developer) });
      await put(kind, made, { assignee_ids: ids(developer, guest) });
      for (const person of [developer, guest]) {
        expect((await reasonsOf(trellis, person)).slice(0, 1)).toEqual([['assigned', made.id]]);
      }
      const { body } = await v4(owner)
        .get(`${at(kind, made)}/participants`)
        .expect(200);
      expect((body as { id: number }[]).map(({ id }) => id).sort()).toEqual(
        ids(owner, developer, guest).sort(),
      );
      const read = await v4(guest).get(at(kind, made)).expect(200);
      expect(read.body).toMatchObject({ subscribed: true });
      await trellis.as(developer).delete('/todos').expect(200);
      await put(kind, made, { assignee_ids: ids(guest, developer) });
      expect(await reasonsOf(trellis, developer)).toEqual([]);
    });

    it('are all found by the filters', async () => {
      const title = `Filtered ${kind}`;
      const [two, one, none] = [
        await create(kind, { title, assignee_ids: ids(guest, developer) }),
        await create(kind, { title, assignee_ids: ids(developer) }),
        await create(kind, { title }),
      ];
      const { id, username } = developer.user;
      for (const [query, found] of [
        [`assignee_id=${String(id)}`, [one, two]],
        [`assignee_id=${String(guest.user.id)}`, [two]],
        [`assignee_username=${username}`, [one, two]],
        [`assignee_username=${username},${guest.user.username}`, [two]],
        ['assignee_id=Any', [one, two]],
        ['assignee_id=None', [none]],
      ] as const) {
        const { body } = await v4(owner)
          .get(`${listOf(kind)}?search=${encodeURIComponent(title)}&${query}`)
          .expect(200);
        const listed = (body as Assigned[]).map((made) => made.id);
        expect([query, listed]).toEqual([query, found.map((made) => made.id)]);
      }
      const everywhere = kind === 'issue' ? '/issues' : '/merge_requests';
      const mine = await v4(guest).get(`${everywhere}?scope=assigned_to_me`).expect(200);
      expect((mine.body as Assigned[]).map((made) => made.id)).toContain(two.id);
    });

    it('are read after the lock of the row, not before', async () => {
      const made = await create(kind, { assignee_ids: ids(owner) });
      await whileHeld(kind, made, ids(developer), () =>
        // Of the row before the wait this would be no change.
        trellis.as(owner).put(older(kind, made), { assignee_id: owner.user.id }).expect(200),
      );
      const { body } = await v4(owner).get(at(kind, made)).expect(200);
      expect(shown(body as Assigned)).toEqual(ids(owner));
      expect((await notesOf(made)).at(-1)).toBe(`assigned to @${owner.user.username}`);
      await whileHeld(kind, made, ids(guest, developer), () =>
        v4(owner).put(at(kind, made), { title: 'Later' }).expect(200),
      );
      const later = await v4(owner).get(at(kind, made)).expect(200);
      expect(shown(later.body as Assigned)).toEqual(ids(guest, developer));
    });

    it('lose only a deleted account, whatever is changed meanwhile', async () => {
      const leaver = await trellis.factories.user();
      await trellis.factories.addToProject(project, leaver, 30);
      const made = await create(kind, { assignee_ids: ids(owner, leaver) });
      const repository = kind === 'issue' ? 'IssuesRepository' : 'MergeRequestsRepository';
      const step = trellis.app
        .get(AccountErasure)
        .steps.find(({ name }) => name === `${repository}.removeAssignees`);
      await whileHeld(kind, made, ids(developer, leaver, guest), () =>
        Promise.resolve(step!.run(leaver.user.id, owner.user.id)),
      );
      const { body } = await v4(owner).get(at(kind, made)).expect(200);
      expect(shown(body as Assigned)).toEqual(ids(developer, guest));
    });

    const table = kind === 'issue' ? 'issues' : 'merge_requests';
    const row = async ({ id }: Assigned) => {
      const [found] = await trellis.rows<{ first: number | null; list: number[] }>(
        `SELECT assignee_id AS first, assignee_ids AS list FROM ${table} WHERE id = $1`,
        [id],
      );
      return [found!.first, found!.list];
    };

    it('are kept in step with the column of the last release', async () => {
      const made = await create(kind, { assignee_ids: ids(owner, developer) });
      const write = (assignee: number | null) =>
        trellis.rows(`UPDATE ${table} SET title = 'Old', assignee_id = $2 WHERE id = $1`, [
          ...[made.id, assignee],
        ]);
      expect(await row(made)).toEqual([owner.user.id, ids(owner, developer)]);
      await write(owner.user.id);
      expect(await row(made)).toEqual([owner.user.id, ids(owner, developer)]);
      await write(guest.user.id);
      expect(await row(made)).toEqual([guest.user.id, ids(guest)]);
      await write(null);
      expect(await row(made)).toEqual([null, []]);
      await put(kind, made, { assignee_ids: ids(developer, owner) });
      expect(await row(made)).toEqual([developer.user.id, ids(developer, owner)]);
    });

    it('outlive accounts that a process of the last release erases', async () => {
      const erased = await trellis.factories.user();
      const member = { user_id: erased.user.id, access_level: 30 };
      await v4(owner)
        .post(`/projects/${String(project.id)}/members`, member)
        .expect(201);
      const made = await create(kind, { assignee_ids: ids(erased, developer, owner) });
      await trellis.rows('UPDATE users SET deleted_at = now() WHERE id = $1', ids(erased));
      await trellis.rows(
        `UPDATE ${table} SET assignee_id = NULL WHERE assignee_id = $1`,
        ids(erased),
      );
      expect(await row(made)).toEqual([developer.user.id, ids(developer, owner)]);
      const missing = 2 ** 31 - 1;
      await trellis.rows(`UPDATE ${table} SET assignee_ids = $2 WHERE id = $1`, [
        ...[made.id, [developer.user.id, missing]],
      ]);
      await put(kind, made, { assignee_ids: [missing] });
      expect(await row(made)).toEqual([null, [missing]]);
      await put(kind, made, { assignee_ids: ids(owner) });
      expect(await row(made)).toEqual([owner.user.id, ids(owner)]);
    });
  });

  /** Has another transaction hold the row until a call waits for it, and then replace its assignees. */
  async function whileHeld(
    kind: Kind,
    { id }: { id: number },
    assigneeIds: readonly number[],
    call: () => PromiseLike<unknown>,
  ): Promise<void> {
    const table = kind === 'issue' ? 'issues' : 'merge_requests';
    const other: QueryRunner = trellis.dataSource.createQueryRunner();
    try {
      await other.startTransaction();
      await other.query(`SELECT FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`, [id]);
      const called = Promise.resolve(call());
      await untilWaitedFor(trellis, other);
      await other.query(`UPDATE ${table} SET assignee_ids = $2 WHERE id = $1`, [id, assigneeIds]);
      await other.commitTransaction();
      await called;
    } finally {
      if (other.isTransactionActive) await other.rollbackTransaction();
      await other.release();
    }
  }

  it('all read and edit a confidential issue, in both versions', async () => {
    const made = await create('issue', {
      title: 'Secret',
      confidential: true,
      assignee_ids: ids(developer, guest),
    });
    const others = await create('issue', { title: 'Secret', confidential: true });
    await v4(guest).get(at('issue', made)).expect(200);
    await trellis.as(guest).get(older('issue', made)).expect(200);
    await v4(guest).get(at('issue', others)).expect(404);
    const listed = await trellis
      .as(guest)
      .get(`${issuesOf(project)}?per_page=100`)
      .expect(200);
    const found = (listed.body as Assigned[]).map(({ id }) => id);
    expect([made.id, others.id].map((id) => found.includes(id))).toEqual([true, false]);
    expect(listed.headers['x-total']).toBe(String(found.length));
    const { body } = await trellis
      .as(guest)
      .get(`/projects/${String(project.id)}`)
      .expect(200);
    const open = (listed.body as { state: string }[]).filter(({ state }) => state === 'opened');
    expect(body).toMatchObject({ open_issues_count: open.length });
    expect((await reasonsOf(trellis, guest)).slice(0, 1)).toEqual([['assigned', made.id]]);
    await v4(guest).put(at('issue', made), { title: 'Mine, too' }).expect(200);
  });

  it('move with an issue as far as they may read the target', async () => {
    const target = await trellis.factories.project(owner, { visibilityLevel: 0 });
    await trellis.factories.addToProject(target, guest, 20);
    const made = await create('issue', { assignee_ids: ids(developer, guest, owner) });
    const moved = await v4(owner)
      .post(`${at('issue', made)}/move`, { to_project_id: target.id })
      .expect(201);
    expect(shown(moved.body as Assigned)).toEqual(ids(guest, owner));
  });

  it('keep an assignee who can no longer read the project until removed', async () => {
    const leaver = await trellis.factories.user();
    await trellis.factories.addToProject(project, leaver, 30);
    const made = await create('issue', { assignee_ids: ids(leaver, owner) });
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}/members/${String(leaver.user.id)}`)
      .expect(200);
    const kept = await put('issue', made, { assignee_ids: ids(developer, leaver) });
    expect(shown(kept)).toEqual(ids(developer, leaver));
    await put('issue', made, { assignee_ids: ids(developer) });
    const gone = await put('issue', made, { assignee_ids: ids(leaver, developer) });
    expect(shown(gone)).toEqual(ids(developer));
  });

  describe('reviewers', () => {
    it('are kept in their order, and cleared by 0', async () => {
      const made = await create('merge request', {
        reviewer_ids: ids(developer, stranger, guest, owner, developer),
      });
      // Guests may not read the merge requests of others.
      expect(reviewing(made)).toEqual(ids(developer, owner));
      const { body } = await v4(owner).get(at('merge request', made)).expect(200);
      expect(reviewing(body as Assigned)).toEqual(ids(developer, owner));
      expect(shown(made)).toEqual([]);
      const old = await trellis.as(owner).get(older('merge request', made)).expect(200);
      expect(old.body).toMatchObject({ assignee: null });
      expect(old.body).not.toHaveProperty('reviewers');
      const kept = await putInV3('merge request', made, { assignee_id: owner.user.id });
      expect(reviewing(kept)).toEqual(ids(developer, owner));
      expect(reviewing(await put('merge request', made, { reviewer_ids: ids(owner) }))).toEqual(
        ids(owner),
      );
      expect(reviewing(await put('merge request', made, { reviewer_ids: [0] }))).toEqual([]);
      expect((await systemNotesOfRequest(trellis, made)).slice(-2)).toEqual([
        `removed review request for @${developer.user.username}`,
        `removed review request for @${owner.user.username}`,
      ]);
    });

    it('get a todo, which version 3 shows as assigned, and take part', async () => {
      const reviewer = await trellis.factories.user();
      await trellis.factories.addToProject(project, reviewer, 20);
      const made = await create('merge request', {});
      await put('merge request', made, { reviewer_ids: ids(reviewer) });
      expect((await systemNotesOfRequest(trellis, made)).at(-1)).toBe(
        `requested review from @${reviewer.user.username}`,
      );
      for (const query of ['', '?action=review_requested']) {
        const { body } = await v4(reviewer).get(`/todos${query}`).expect(200);
        expect(body).toMatchObject([
          { action_name: 'review_requested', target_type: 'MergeRequest', target: { id: made.id } },
        ]);
      }
      expect((await v4(reviewer).get('/todos?action=assigned').expect(200)).body).toEqual([]);
      for (const query of ['', '?action=assigned', '?action=review_requested']) {
        expect(await reasonsOf(trellis, reviewer, query)).toEqual([['assigned', made.id]]);
      }
      expect(await reasonsOf(trellis, reviewer, '?action=mentioned')).toEqual([]);
      const people = await v4(owner)
        .get(`${at('merge request', made)}/participants`)
        .expect(200);
      expect((people.body as { id: number }[]).map(({ id }) => id)).toEqual(ids(owner, reviewer));
      const read = await v4(reviewer).get(at('merge request', made)).expect(200);
      expect(read.body).toMatchObject({ subscribed: true });
      await v4(reviewer)
        .put(at('merge request', made), { title: 'No right of reviewers' })
        .expect(403);
      const finished = await trellis.as(reviewer).delete('/todos?action=assigned').expect(200);
      expect(finished.body).toBe(1);
    });

    it('are found by the filters, which exclude each other', async () => {
      const title = 'Reviewed';
      const [one, none] = [
        await create('merge request', { title, reviewer_ids: ids(owner, developer) }),
        await create('merge request', { title }),
      ];
      const path = `${mergeRequestsOf(project)}?search=${title}`;
      for (const [query, found] of [
        [`reviewer_id=${String(developer.user.id)}`, [one]],
        [`reviewer_username=${developer.user.username}`, [one]],
        ['reviewer_id=Any', [one]],
        ['reviewer_id=None', [none]],
        [`reviewer_id=${String(guest.user.id)}`, []],
      ] as const) {
        const { body } = await v4(owner).get(`${path}&${query}`).expect(200);
        const listed = (body as Assigned[]).map(({ id }) => id);
        expect([query, listed]).toEqual([query, found.map(({ id }) => id)]);
      }
      await v4(owner)
        .get(`${path}&reviewer_id=1&reviewer_username=x`)
        .expect(400, { error: 'reviewer_id, reviewer_username are mutually exclusive' });
      await v4(owner).get(`${path}&reviewer_id=x`).expect(400, { error: 'reviewer_id is invalid' });
    });

    it('are 200 at most, and lose a deleted account', async () => {
      const made = await create('merge request', { reviewer_ids: ids(owner, developer) });
      const many = Array.from({ length: 201 }, (_, index) => index + 1);
      await v4(owner)
        .put(at('merge request', made), { reviewer_ids: many })
        .expect(400, { message: { reviewers: ['are too many (maximum is 200)'] } });
      const step = trellis.app
        .get(AccountErasure)
        .steps.find(({ name }) => name === 'MergeRequestsRepository.removeReviewers');
      await step!.run(owner.user.id, developer.user.id);
      const { body } = await v4(owner).get(at('merge request', made)).expect(200);
      expect(reviewing(body as Assigned)).toEqual(ids(developer));
    });
  });
});
