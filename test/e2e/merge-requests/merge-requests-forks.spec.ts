import {
  CloseDetachedJob,
  type CloseDetachedPayload,
} from '../../../src/modules/merge-requests/changes/close-detached.job.js';
import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { makeMilestone } from '../../support/issues.js';
import {
  eventsOn,
  type MergeRequestBody,
  mergeRequestsOf,
  openMergeRequest,
  pathOf,
  rowOf,
  systemNotes,
  versionsOf,
} from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('merge requests from forks', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let forker: Person;
  let projects: PushedProjects;
  let forks: Forks;
  let origin: MadeProject;
  let head: string;
  let fork: MadeProject;
  let topic: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    admin = await factories.admin();
    owner = await factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    forks = new Forks(trellis);
  });
  afterAll(() => projects.remove());
  beforeEach(async () => {
    forker = await trellis.factories.user({ projectsLimit: 1000 });
    ({ project: origin, head } = await projects.make({ visibilityLevel: 20 }));
    fork = await forks.make(forker, origin);
    await forks.copy(fork, origin);
    topic = await new BranchWork(trellis, fork, forker).commit('topic', head, 'topic.txt');
  });

  const input = (body: object = {}) => ({
    ...{ title: 'From afar', source_branch: 'topic', target_branch: 'master' },
    ...{ target_project_id: origin.id, ...body },
  });
  const opened = (body: object = {}) => openMergeRequest(trellis, forker, fork, input(body));
  const refused = async (place: { id: number }, body: object, status: number, by = forker) =>
    (await trellis.as(by).post(mergeRequestsOf(place), body).expect(status)).body as unknown;
  /** Runs the jobs that close what is detached; answers how many there were. */
  const closeDetached = async () => {
    const jobs = await trellis.rows<{ payload: CloseDetachedPayload }>(
      `DELETE FROM outbox
        WHERE name = 'close-detached' AND (payload->>'projectId')::int = ANY($1) RETURNING payload`,
      [[origin.id, fork.id]],
    );
    const [payloads] = jobs as unknown as [{ payload: CloseDetachedPayload }[], number];
    // A job may come twice.
    for (const { payload } of [...payloads, ...payloads]) {
      await trellis.app.get(CloseDetachedJob).handle(payload);
    }
    return payloads.length;
  };

  it('belong to their target project', async () => {
    const request = await opened();
    expect(request).toMatchObject({
      ...{ iid: 1, project_id: origin.id, source_project_id: fork.id, sha: topic },
      ...{ source_branch: 'topic', target_branch: 'master', author: { id: forker.user.id } },
    });
    expect(await versionsOf(trellis, request)).toEqual([
      { base_commit_sha: head, start_commit_sha: head, head_commit_sha: topic },
    ]);
    for (const person of [owner, forker]) {
      await trellis.as(person).get(pathOf(request)).expect(200);
    }
    const through = await trellis.as(forker).get(pathOf({ ...request, project_id: fork.id }));
    expect([through.status, through.body]).toEqual([404, { message: '404 Not found' }]);
    const lists = await Promise.all(
      [origin, fork].map((place) => trellis.as(forker).get(mergeRequestsOf(place)).expect(200)),
    );
    expect(lists.map(({ body }) => (body as unknown[]).length)).toEqual([1, 0]);
    expect(await eventsOn(trellis, request)).toEqual([
      { author_id: forker.user.id, action: 'opened', project_id: origin.id },
    ]);
  });

  it('target the fork itself by default', async () => {
    const request = await opened({ target_project_id: null });
    expect(request).toMatchObject({ project_id: fork.id, source_project_id: fork.id });
    const path = `${mergeRequestsOf(fork)}/${String(request.id)}`;
    await trellis.as(forker).get(path).expect(200);
  });

  it('accept labels, assignee and milestone only from members of the target', async () => {
    const milestone_id = await makeMilestone(trellis, origin, 'v1');
    const triage = { labels: 'new', assignee_id: forker.user.id, milestone_id };
    expect(await opened(triage)).toMatchObject({ labels: [], assignee: null, milestone: null });
    expect(await trellis.rows('SELECT 1 FROM labels WHERE project_id = $1', [origin.id])).toEqual(
      [],
    );
    await trellis.factories.addToProject(origin, forker, 30);
    const trusted = await opened({ ...triage, target_branch: 'master', source_branch: 'master' });
    expect(trusted).toMatchObject({ labels: ['new'], milestone: { id: milestone_id } });
  });

  it('require a direct fork and a readable target with merge requests enabled', async () => {
    const { project: stranger } = await projects.make({ visibilityLevel: 20 });
    const unrelated = { error: ['Source project is not a fork of the target project'] };
    expect(await refused(fork, input({ target_project_id: stranger.id }), 422)).toEqual(unrelated);
    await trellis.factories.addToProject(origin, forker, 30);
    const backwards = input({ target_project_id: fork.id, source_branch: 'master' });
    expect(await refused(origin, backwards, 422)).toEqual(unrelated);
    const grandchild = await forks.make(admin, fork);
    await forks.copy(grandchild, fork);
    expect(await refused(grandchild, input(), 422, admin)).toEqual(unrelated);
    const hidden = await trellis.factories.project(owner);
    for (const id of [hidden.id, 2_147_483_647]) {
      const absent = await refused(fork, input({ target_project_id: id }), 404);
      expect(absent).toEqual({ message: '404 Project Not Found' });
    }
    const path = `/projects/${String(origin.id)}`;
    await trellis.as(owner).post(`${path}/archive`).expect(200);
    await refused(fork, input(), 403);
    await trellis.as(owner).post(`${path}/unarchive`).expect(200);
    await trellis.as(owner).put(path, { merge_requests_enabled: false }).expect(200);
    await refused(fork, input(), 403);
    expect(
      await trellis.rows('SELECT 1 FROM merge_requests WHERE project_id = $1', [origin.id]),
    ).toEqual([]);
  });

  describe('are closed', () => {
    let within: MergeRequestBody;
    let request: MergeRequestBody;

    beforeEach(async () => {
      within = await opened({ target_project_id: fork.id });
      request = await opened();
    });

    const expectClosedBy = async (actor: Person) => {
      expect(await closeDetached()).toBe(1);
      expect(await rowOf(trellis, request)).toMatchObject({ state: 'closed' });
      expect(await systemNotes(trellis, request)).toEqual(['closed']);
      expect(await eventsOn(trellis, request)).toMatchObject([
        { action: 'opened' },
        { action: 'closed', author_id: actor.user.id },
      ]);
    };

    it('when the fork is deleted', async () => {
      await trellis
        .as(forker)
        .delete(`/projects/${String(fork.id)}`)
        .expect(200);
      await expectClosedBy(forker);
      await forks.purge(fork);
      const { body } = await trellis.as(owner).get(pathOf(request)).expect(200);
      expect(body).toMatchObject({ state: 'closed', source_project_id: null, sha: topic });
      const again = await trellis.as(owner).put(pathOf(request), { state_event: 'reopen' });
      expect([again.status, again.body]).toEqual([
        ...[400, { message: { source_branch: ['does not exist'] } }],
      ]);
      expect(await trellis.rows('SELECT 1 FROM merge_requests WHERE id = $1', [within.id])).toEqual(
        [],
      );
    });

    it('when the fork relation is removed, except those within the fork', async () => {
      await trellis
        .as(admin)
        .delete(`/projects/${String(fork.id)}/fork`)
        .expect(200);
      await expectClosedBy(admin);
      expect(await rowOf(trellis, within)).toMatchObject({ state: 'opened' });
      const again = await trellis.as(owner).put(pathOf(request), { state_event: 'reopen' });
      expect([again.status, again.body]).toEqual([
        ...[422, { error: ['Source project is not a fork of the target project'] }],
      ]);
    });

    it('when the fork is deleted with its owner', async () => {
      await trellis
        .as(admin)
        .delete(`/users/${String(forker.user.id)}`)
        .expect(200);
      await expectClosedBy(forker);
    });

    it('or deleted, when the origin is deleted', async () => {
      await trellis
        .as(owner)
        .delete(`/projects/${String(origin.id)}`)
        .expect(200);
      expect(await closeDetached()).toBe(0);
      await trellis.as(forker).get(pathOf(request)).expect(404);
      await forks.purge(origin);
      expect(await rowOf(trellis, request)).toBeUndefined();
      expect(await rowOf(trellis, within)).toMatchObject({ state: 'opened' });
    });
  });
});
