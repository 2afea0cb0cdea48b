import type { Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { makeMilestone } from '../../support/issues.js';
import {
  type BranchedCast,
  eventsOn,
  makeBranchedCast,
  type MergeRequestBody,
  openMergeRequest,
  pathOf,
  rowOf,
  systemNotes,
  todosFor,
  versionsOf,
} from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const LONG_AGO = '2016-01-01T00:00:00.000Z';

describe('updating merge requests', () => {
  let trellis: Trellis;
  let cast: BranchedCast;
  let project: MadeProject;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeBranchedCast(trellis);
    project = cast.projects[20];
    owner = cast.people.owner as Person;
  });

  const person = (role: Role) => cast.people[role] as Person;
  const made = (body: object = {}, by = owner) =>
    openMergeRequest(trellis, by, project, { source_branch: cast.fresh(), ...body });
  const put = async (request: MergeRequestBody, body: object, by = owner) =>
    (await trellis.as(by).put(pathOf(request), body).expect(200)).body as MergeRequestBody;
  const refused = async (request: MergeRequestBody, body: object, status: number) =>
    (await trellis.as(owner).put(pathOf(request), body).expect(status)).body as unknown;
  /** As if nobody had touched it for long. */
  const aged = async (body: object = {}) => {
    const request = await made(body);
    await trellis.rows('UPDATE merge_requests SET updated_at = $2 WHERE id = $1', [
      request.id,
      LONG_AGO,
    ]);
    return request;
  };

  it('requires a credential, well-formed parameters, a request and the right', async () => {
    const request = await made();
    await trellis.anonymous.put(pathOf(request), { title: 'x' }).expect(401);
    const names =
      'title, target_branch, description, assignee_id, milestone_id, labels, state_event, remove_source_branch';
    const nothing = `${names} are missing, at least one parameter must be provided`;
    for (const [body, error] of [
      [{}, nothing],
      [{ source_branch: 'other', target_project_id: 1 }, nothing],
      [{ title: null }, nothing],
      [{ title: ' ' }, 'title is empty'],
      [{ target_branch: '' }, 'target_branch is empty'],
      [{ title: { a: 1 } }, 'title is invalid'],
      [{ state_event: 'closed' }, 'state_event does not have a valid value'],
      [{ remove_source_branch: 2 }, 'remove_source_branch is invalid'],
    ] as const) {
      expect(await refused({ ...request, project_id: 0 }, body, 400)).toEqual({ error });
    }
    for (const id of [0, 2_147_483_647, 99_999_999_999]) {
      const absent = await refused({ ...request, id }, { title: 'x' }, 404);
      expect(absent).toEqual({ message: '404 Not found' });
    }
    await refused({ ...request, project_id: cast.projects[0].id }, { title: 'x' }, 404);
    expect(await refused(request, { title: 'x'.repeat(256) }, 400)).toEqual({
      message: { title: ['is too long (maximum is 255 characters)'] },
    });
    expect((await trellis.as(owner).get(pathOf(request)).expect(200)).body).toMatchObject({
      ...request,
      merge_status: expect.any(String),
    });
  });

  it('is allowed to author, assignee and members from developer on', async () => {
    const may = new Set<Role>(['developer', 'master', 'owner', 'admin', 'externalMember']);
    const members = new Set<Role>(['guest', 'reporter', 'groupMember', 'groupGuest', ...may]);
    for (const visibility of [0, 10, 20] as const) {
      const place = cast.projects[visibility];
      const body = { source_branch: cast.fresh() };
      const request = await openMergeRequest(trellis, owner, place, body);
      for (const [name, caller] of Object.entries(cast.people)) {
        const role = name as Role;
        const client = caller === null ? trellis.anonymous : trellis.as(caller);
        const { status } = await client.put(pathOf(request), { description: role });
        const isShown = visibility === 20 || (visibility === 10 && role !== 'external');
        const otherwise = members.has(role) || isShown ? 403 : 404;
        const isNobody = role === 'anonymous' || role === 'blocked';
        const expected = isNobody ? 401 : may.has(role) ? 200 : otherwise;
        expect([visibility, role, status]).toEqual([visibility, role, expected]);
      }
      const guest = person('guest');
      await put(request, { assignee_id: guest.user.id });
      const labelled = { title: 'Mine', labels: 'not-theirs', milestone_id: 1, assignee_id: 0 };
      expect(await put(request, labelled, guest)).toMatchObject({
        ...{ title: 'Mine', labels: [], assignee: { id: guest.user.id } },
      });
      await put(request, { assignee_id: 0 });
      const nowhere = pathOf({ ...request, id: 2_147_483_647 });
      await trellis.as(guest).put(nowhere, { title: 'x' }).expect(404);
    }
    expect(await trellis.rows(`SELECT 1 FROM labels WHERE name = 'not-theirs'`)).toEqual([]);
  });

  it('accepts every field, and adds a note for most of them', async () => {
    const guest = person('guest');
    const milestoneId = await makeMilestone(trellis, project, 'v2');
    const request = await aged({ labels: 'kept, gone' });
    const changed = await put(request, {
      ...{ title: ' Another title ', description: 'Text', target_branch: 'other' },
      ...{ assignee_id: guest.user.id, milestone_id: milestoneId, labels: 'kept, new' },
      ...{ remove_source_branch: true, source_branch: 'ignored', target_project_id: 1 },
    });
    expect(changed).toMatchObject({
      ...{ title: 'Another title', description: 'Text', target_branch: 'other' },
      ...{ assignee: { id: guest.user.id }, milestone: { id: milestoneId } },
      ...{ labels: ['kept', 'new'], force_remove_source_branch: true, state: 'opened' },
      ...{ source_branch: request.source_branch, source_project_id: project.id },
    });
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(LONG_AGO));
    const [label] = await trellis.rows<{ gone: number; new: number }>(
      `SELECT (SELECT id FROM labels WHERE project_id = $1 AND name = 'gone') AS gone,
              (SELECT id FROM labels WHERE project_id = $1 AND name = 'new') AS new`,
      [project.id],
    );
    expect(await systemNotes(trellis, request)).toEqual([
      'changed title from **Add a topic** to **Another title**',
      'changed target branch from `master` to `other`',
      `assigned to @${guest.user.username}`,
      'changed milestone to %1',
      `added ~${String(label!.new)} label and removed ~${String(label!.gone)} label`,
    ]);
    expect(await rowOf(trellis, request)).toMatchObject({
      ...{ updated_by_id: owner.user.id, target_branch: 'other', description: 'Text' },
    });
    const author_id = owner.user.id;
    expect(await todosFor(trellis, request)).toEqual([
      { user_id: guest.user.id, action: 'assigned', state: 'pending', author_id },
    ]);
    const cleared = { assignee_id: 0, milestone_id: null, labels: '', description: null };
    expect(await put(request, cleared)).toMatchObject({
      ...{ assignee: null, milestone: null, labels: [], description: null },
    });
  });

  it('marks and unmarks work in progress', async () => {
    const request = await made();
    for (const [title, isUnfinished] of [
      ['WIP: Add a topic', true],
      ['[wip]  wip  Add a topic', true],
      ['Wipe the table', false],
      ['WIP Wipe the floor', true],
    ] as const) {
      expect(await put(request, { title })).toMatchObject({
        title,
        work_in_progress: isUnfinished,
      });
    }
    expect(await systemNotes(trellis, request)).toEqual([
      'marked as a **Work In Progress**',
      'changed title from **WIP: Add a topic** to **[wip]  wip  Add a topic**',
      'unmarked as a Work In Progress',
      'changed title from **[wip]  wip  Add a topic** to **Wipe the table**',
      'marked as a **Work In Progress**',
      'changed title from **Wipe the table** to **WIP Wipe the floor**',
    ]);
  });

  it('with the current values changes nothing', async () => {
    const request = await aged({ labels: 'kept' });
    const same = { title: 'Add a topic', labels: 'kept', assignee_id: 0, state_event: 'reopen' };
    const again = await put(request, { ...same, target_branch: 'master' });
    expect(again.updated_at).toBe(LONG_AGO);
    await put(request, { state_event: 'merge' });
    expect(await systemNotes(trellis, request)).toEqual([]);
    expect(await versionsOf(trellis, request)).toHaveLength(1);
    expect(await eventsOn(trellis, request)).toHaveLength(1);
  });

  it('is refused in archived projects and where merge requests are disabled', async () => {
    const request = await openMergeRequest(trellis, owner, cast.projects[10], {
      source_branch: cast.fresh(),
    });
    const path = `/projects/${String(request.project_id)}`;
    await trellis.as(owner).post(`${path}/archive`).expect(200);
    await refused(request, { title: 'Late' }, 403);
    await trellis.as(owner).get(pathOf(request)).expect(200);
    await trellis.as(owner).post(`${path}/unarchive`).expect(200);
    await trellis.as(owner).put(path, { merge_requests_enabled: false }).expect(200);
    await refused(request, { title: 'Late' }, 403);
    await trellis.as(owner).get(pathOf(request)).expect(403);
    await trellis.as(owner).delete(pathOf(request)).expect(403);
  });

  describe('by deletion', () => {
    it('is allowed to project owners and administrators', async () => {
      const request = await made();
      await trellis.anonymous.delete(pathOf(request)).expect(401);
      for (const role of ['stranger', 'guest', 'developer', 'master'] as const) {
        await trellis.as(person(role)).delete(pathOf(request)).expect(403);
      }
      await trellis.as(person('admin')).delete(pathOf(request)).expect(200);
    });

    it('removes all their data', async () => {
      const request = await made({ labels: 'orphaned', assignee_id: owner.user.id });
      await trellis
        .as(person('guest'))
        .post(`${pathOf(request)}/todo`)
        .expect(200);
      await trellis
        .as(person('guest'))
        .post(`${pathOf(request)}/subscription`)
        .expect(200);
      const { body } = await trellis.as(owner).delete(pathOf(request)).expect(200);
      expect(body).toMatchObject({ id: request.id, title: request.title, labels: ['orphaned'] });
      const again = await trellis.as(owner).delete(pathOf(request)).expect(404);
      expect(again.body).toEqual({ message: '404 Not found' });
      await trellis.as(owner).get(pathOf(request)).expect(404);
      await trellis.as(owner).put(pathOf(request), { title: 'x' }).expect(404);
      await trellis
        .as(owner)
        .get(`${pathOf(request)}/notes`)
        .expect(404);
      for (const table of ['todos', 'subscriptions', 'label_links']) {
        const sql = `SELECT 1 FROM ${table} WHERE target_type = 'MergeRequest' AND target_id = $1`;
        expect(await trellis.rows(sql, [request.id])).toEqual([]);
      }
      const next = await made({ source_branch: request.source_branch });
      expect(next.iid).toBeGreaterThan(request.iid);
    });
  });
});
