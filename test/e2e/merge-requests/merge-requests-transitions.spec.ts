import type { MadeProject, Person } from '../../support/factories.js';
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

describe('transitions of merge requests', () => {
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

  const made = (body: object = {}, by = owner) =>
    openMergeRequest(trellis, by, project, { source_branch: cast.fresh(), ...body });
  const put = async (request: MergeRequestBody, body: object, by = owner) =>
    (await trellis.as(by).put(pathOf(request), body).expect(200)).body as MergeRequestBody;
  const refused = async (request: MergeRequestBody, body: object, status: number) =>
    (await trellis.as(owner).put(pathOf(request), body).expect(status)).body as unknown;
  describe('to another target branch', () => {
    it('require a different, existing target without another open request', async () => {
      const request = await made();
      const { source_branch } = request;
      const missing = { message: { target_branch: ['does not exist'] } };
      expect(await refused(request, { target_branch: 'missing' }, 400)).toEqual(missing);
      expect(await refused(request, { target_branch: source_branch }, 422)).toEqual({
        error: ['You can not use same project/branch for source and target'],
      });
      await made({ source_branch, target_branch: 'other', title: 'First' });
      expect(await refused(request, { target_branch: 'other' }, 409)).toEqual({
        message: ['Cannot Create: This merge request already exists: ["First"]'],
      });
      expect(await systemNotes(trellis, request)).toEqual([]);
    });

    it('record a version while the request is open', async () => {
      const request = await made();
      await put(request, { target_branch: 'other' });
      const heads = [cast.head, cast.topic].map((start_commit_sha) => ({
        ...{ start_commit_sha, base_commit_sha: start_commit_sha, head_commit_sha: cast.topic },
      }));
      expect(await versionsOf(trellis, request)).toEqual(heads);
      await put(request, { state_event: 'close' });
      await put(request, { target_branch: 'master' });
      expect(await versionsOf(trellis, request)).toEqual(heads);
    });

    it('record no version after the merge', async () => {
      const request = await made();
      await trellis.rows(`UPDATE merge_requests SET state = 'merged' WHERE id = $1`, [request.id]);
      const changed = { target_branch: 'other', title: 'Done', state_event: 'close' };
      expect(await put(request, changed)).toMatchObject({
        ...{ target_branch: 'master', title: 'Done', state: 'merged' },
      });
      await put(request, { state_event: 'reopen' });
      expect(await rowOf(trellis, request)).toMatchObject({ state: 'merged' });
    });
  });

  describe('by closing and reopening', () => {
    it('add notes and events', async () => {
      const request = await made({ assignee_id: owner.user.id, labels: 'stately' });
      await trellis.rows(
        `UPDATE merge_requests
            SET merge_when_build_succeeds = true, merge_user_id = $2, merge_commit_message = 'Text',
                should_remove_source_branch = true
          WHERE id = $1`,
        [request.id, owner.user.id],
      );
      expect(await put(request, { title: 'Later', state_event: 'close' })).toMatchObject({
        ...{ state: 'closed', merge_when_build_succeeds: false, title: 'Later' },
      });
      expect(await rowOf(trellis, request)).toMatchObject({
        ...{ merge_user_id: null, merge_commit_message: null, should_remove_source_branch: false },
      });
      const author_id = owner.user.id;
      expect(await todosFor(trellis, request)).toMatchObject([{ state: 'done' }]);
      await put(request, { state_event: 'close' });
      expect(await put(request, { state_event: 'reopen' })).toMatchObject({ state: 'reopened' });
      await put(request, { state_event: 'reopen' });
      expect(await systemNotes(trellis, request)).toEqual([
        'changed title from **Add a topic** to **Later**',
        'closed',
        'reopened',
      ]);
      const told = { author_id, project_id: project.id };
      expect(await eventsOn(trellis, request)).toEqual([
        { ...told, action: 'opened' },
        { ...told, action: 'closed' },
        { ...told, action: 'opened' },
      ]);
      const [link] = await trellis.rows<{ state: string }>(
        `SELECT state FROM label_links WHERE target_type = 'MergeRequest' AND target_id = $1`,
        [request.id],
      );
      expect(link).toEqual({ state: 'reopened' });
    });

    it('require existing branches without another open request', async () => {
      const request = await made();
      await put(request, { state_event: 'close' });
      const { source_branch } = request;
      const twin = await made({ source_branch, title: 'Instead' });
      expect(await refused(request, { state_event: 'reopen' }, 409)).toEqual({
        message: ['Cannot Create: This merge request already exists: ["Instead"]'],
      });
      await put(twin, { state_event: 'close' });
      const branches = `/projects/${String(project.id)}/repository/branches`;
      await trellis.as(owner).delete(`${branches}/${source_branch}`).expect(200);
      expect(await refused(request, { state_event: 'reopen' }, 400)).toEqual({
        message: { source_branch: ['does not exist'] },
      });
      expect(await rowOf(trellis, request)).toMatchObject({ state: 'closed' });
      await trellis
        .as(owner)
        .post(branches, { branch_name: source_branch, ref: cast.head })
        .expect(200);
      expect(await put(request, { state_event: 'reopen' })).toMatchObject({ state: 'reopened' });
      expect(await versionsOf(trellis, request)).toHaveLength(2);
    });

    it('reopen only one of two for the same branches', async () => {
      const first = await made();
      await put(first, { state_event: 'close' });
      const second = await made({ source_branch: first.source_branch });
      await put(second, { state_event: 'close' });
      const answers = await Promise.all(
        [first, second].map((one) => trellis.as(owner).put(pathOf(one), { state_event: 'reopen' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });
});
