import { Forks } from '../../support/forks.js';
import type { MadeProject, Person } from '../../support/factories.js';
import {
  type BranchedCast,
  makeBranchedCast,
  mergeRequestsOf,
  openMergeRequest,
} from '../../support/merge-requests.js';
import { TIMESTAMP } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser } from '../../support/v4-bodies.js';

jest.setTimeout(180_000);

interface PipelineBody {
  id: number;
  sha: string;
  ref: string;
  status: string;
}

describe('pipelines of version 4', () => {
  let trellis: Trellis;
  let cast: BranchedCast;
  let project: MadeProject;
  let owner: Person;
  let developer: Person;
  let guest: Person;
  let path: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeBranchedCast(trellis);
    project = cast.projects[0];
    owner = cast.people.owner as Person;
    developer = cast.people.developer as Person;
    guest = cast.people.guest as Person;
    path = `/projects/${String(project.id)}/pipelines`;
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const post = async (
    body: object,
    { sha = cast.topic, person = developer, of = project } = {},
  ) => {
    const at = `/projects/${String(of.id)}/statuses/${sha}`;
    return (await v4(person).post(at, body).expect(201)).body as { id: number };
  };
  const list = async (query: string, person = developer): Promise<PipelineBody[]> =>
    (await v4(person).get(`${path}?${query}`).expect(200)).body as PipelineBody[];
  const ids = async (query: string): Promise<number[]> => (await list(query)).map(({ id }) => id);

  it('are derived from the statuses of a commit and ref', async () => {
    const ref = cast.fresh();
    const url = 'https://ci.example/9';
    const first = await post({ state: 'running', name: 'build', ref });
    await post({ state: 'success', name: 'lint', ref, target_url: url }, { person: owner });
    const web = `${trellis.url}/${owner.user.username}/${project.path}/-/commit/${cast.topic}`;
    const basic = {
      ...{ id: first.id, project_id: project.id, sha: cast.topic, ref, status: 'running' },
      ...{ source: 'external', created_at: TIMESTAMP, updated_at: TIMESTAMP, web_url: url },
    };
    expect(await list(`ref=${ref}`)).toEqual([basic]);
    const detail = {
      ...{ ...basic, before_sha: '0'.repeat(40), tag: false, yaml_errors: null },
      user: basicUser(developer, trellis.url),
      ...{ started_at: TIMESTAMP, finished_at: null, committed_at: null, duration: null },
      ...{ queued_duration: null, coverage: null },
      detailed_status: {
        ...{ icon: 'status_running', text: 'Running', label: 'running', group: 'running' },
        ...{ tooltip: 'running', has_details: false, details_path: null },
      },
    };
    const read = await v4(developer)
      .get(`${path}/${String(first.id)}`)
      .expect(200);
    expect(read.body).toEqual(detail);
    await post({ state: 'failed', name: 'build', ref });
    const done = await v4(developer)
      .get(`${path}/${String(first.id)}`)
      .expect(200);
    expect(done.body).toMatchObject({ status: 'failed', finished_at: TIMESTAMP });
    expect(typeof (done.body as { duration: unknown }).duration).toBe('number');
    const retried = await post({ state: 'success', name: 'build', ref, coverage: 90.5 });
    const again = await v4(developer)
      .get(`${path}/${String(first.id)}`)
      .expect(200);
    expect(again.body).toMatchObject({ id: first.id, status: 'success', coverage: '90.50' });

    const jobs = await v4(developer)
      .get(`${path}/${String(first.id)}/jobs`)
      .expect(200);
    expect(jobs.body).toEqual([
      {
        ...{ id: retried.id, status: 'success', stage: 'external', name: 'build', ref, tag: false },
        ...{ coverage: 90.5, allow_failure: false, created_at: TIMESTAMP, started_at: null },
        ...{ finished_at: TIMESTAMP, erased_at: null, duration: null, queued_duration: null },
        user: basicUser(developer, trellis.url),
        commit: expect.objectContaining({ id: cast.topic, title: 'Second commit' }) as object,
        pipeline: { ...basic, status: 'success', updated_at: TIMESTAMP },
        ...{ web_url: web, artifacts: [], runner: null, artifacts_expire_at: null },
        ...{ archived: false, tag_list: [] },
      },
      expect.objectContaining({ name: 'lint', web_url: url }),
    ]);
    const all = await v4(developer)
      .get(`${path}/${String(first.id)}/jobs?include_retried=true`)
      .expect(200);
    expect(all.body).toMatchObject([{ name: 'build' }, { name: 'lint' }, { id: first.id }]);
    const failed = await v4(developer)
      .get(`${path}/${String(first.id)}/jobs?include_retried=true&scope[]=failed&scope[]=running`)
      .expect(200);
    expect(failed.body).toMatchObject([{ id: first.id, status: 'failed' }]);
  });

  it('are filtered and ordered', async () => {
    const [one, two] = [cast.fresh(), cast.fresh()];
    const failed = await post({ state: 'failed', name: 'a', ref: one });
    const passed = await post({ state: 'success', name: 'a', ref: two }, { person: owner });
    const pending = await post({ state: 'pending', name: 'a', ref: one }, { sha: cast.head });
    const since = `created_after=${await createdAt(failed.id)}`;
    expect(await ids(since)).toEqual([pending.id, passed.id, failed.id]);
    expect(await ids(`${since}&sort=asc&per_page=2`)).toEqual([failed.id, passed.id]);
    expect(await ids(`${since}&page=2&per_page=2`)).toEqual([failed.id]);
    expect(await ids(`ref=${one}`)).toEqual([pending.id, failed.id]);
    expect(await ids(`${since}&sha=${cast.head}`)).toEqual([pending.id]);
    expect(await ids(`${since}&scope=finished`)).toEqual([passed.id, failed.id]);
    expect(await ids(`${since}&scope=finished&status=failed`)).toEqual([failed.id]);
    expect(await ids(`${since}&scope=finished&status=running`)).toEqual([]);
    expect(await ids(`${since}&status=pending`)).toEqual([pending.id]);
    expect(await ids(`${since}&status=manual`)).toEqual([]);
    expect(await ids(`${since}&username=${owner.user.username.toUpperCase()}`)).toEqual([
      passed.id,
    ]);
    expect(await ids(`${since}&source=external`)).toHaveLength(3);
    expect(await ids('source=push')).toEqual([]);
    expect(await ids('yaml_errors=true')).toEqual([]);
    expect(await ids('name=Nightly')).toEqual([]);
    expect(await ids(`${since}&updated_before=2000-01-01T00:00:00Z`)).toEqual([]);
    expect(await ids(`${since}&updated_after=2000-01-01T00:00:00Z&ref=${two}`)).toEqual([
      passed.id,
    ]);
    for (const wrong of ['scope=x', 'status=x', 'source=x', 'order_by=lock_version', 'sort=up']) {
      await v4(developer).get(`${path}?${wrong}`).expect(400);
    }
  });

  const createdAt = async (id: number): Promise<string> => {
    const [row] = await trellis.rows<{ at: Date }>(
      'SELECT created_at AS at FROM commit_statuses WHERE id = $1',
      [id],
    );
    return row?.at.toISOString() ?? '';
  };

  it('are combined by one rule in lists and in SQL', async () => {
    const ref = cast.fresh();
    const states = ['pending', 'running', 'success', 'failed', 'canceled'];
    await trellis.rows(
      `INSERT INTO commit_statuses (project_id, sha, ref, name, status, author_id, allow_failure)
       SELECT $1, lpad(to_hex(mask), 40, 'e'), $2, state, state, $3, forgiven
         FROM generate_series(1, 31) mask CROSS JOIN (VALUES (false), (true)) f (forgiven)
        CROSS JOIN unnest($4::varchar[]) WITH ORDINALITY s (state, bit)
        WHERE (mask >> (bit - 1)::int) & 1 = 1 AND NOT forgiven
           OR forgiven AND mask % 3 = 0 AND bit = 4 AND (mask >> 3) & 1 = 0`,
      [project.id, ref, developer.user.id, states],
    );
    const all = await list(`ref=${ref}&per_page=100`);
    expect(all).toHaveLength(31);
    for (const state of [...states, 'skipped']) {
      const expected = all.filter(({ status }) => status === state).map(({ id }) => id);
      expect(await ids(`ref=${ref}&per_page=100&status=${state}`)).toEqual(expected);
    }
  });

  it('takes as many statements for many pipelines as for one', async () => {
    const ref = cast.fresh();
    await post({ state: 'success', name: 'a', ref });
    const count = () => trellis.statements.during(() => list(`ref=${ref}&scope=finished`));
    await count();
    const one = await count();
    for (const name of ['a', 'b', 'c'])
      await post({ state: 'success', name, ref }, { sha: cast.head });
    expect(await count()).toEqual(one);
  });

  it('reads the latest one of a branch and a tag', async () => {
    const ref = cast.fresh();
    await v4(developer).get(`${path}/latest?ref=${ref}`).expect(404);
    await post({ state: 'success', name: 'a', ref }, { sha: cast.head });
    const none = await v4(developer).get(`${path}/latest?ref=${ref}`).expect(404);
    expect(none.body).toEqual({ message: '404 Not found' });
    const { id } = await post({ state: 'success', name: 'a', ref });
    const latest = await v4(developer).get(`${path}/latest?ref=${ref}`).expect(200);
    expect(latest.body).toMatchObject({ id, ref, sha: cast.topic, tag: false });
    const byDefault = await post(
      { state: 'success', name: 'a', ref: 'master' },
      { sha: cast.head },
    );
    expect((await v4(developer).get(`${path}/latest`).expect(200)).body).toMatchObject({
      id: byDefault.id,
      ref: 'master',
    });
    const tag = { tag_name: `v-${String(id)}`, ref: cast.topic, message: 'Annotated' };
    await v4(owner)
      .post(`/projects/${String(project.id)}/repository/tags`, tag)
      .expect(201);
    const tagged = await post({ state: 'failed', name: 'a', ref: tag.tag_name });
    const ofTag = await v4(developer).get(`${path}/latest?ref=${tag.tag_name}`).expect(200);
    expect(ofTag.body).toMatchObject({ id: tagged.id, tag: true, sha: cast.topic });
    await v4(developer).get(`${path}/latest?ref=absent`).expect(404);
  });

  it('answers 404 for what is no pipeline of the project', async () => {
    const ref = cast.fresh();
    const { id } = await post({ state: 'success', name: 'a', ref });
    const second = await post({ state: 'success', name: 'b', ref });
    const other = `/projects/${String(cast.projects[20].id)}/pipelines`;
    for (const at of [
      `${path}/${String(second.id)}`,
      `${path}/${String(second.id)}/jobs`,
      `${path}/2000000000`,
      `${other}/${String(id)}`,
    ]) {
      expect((await v4(owner).get(at).expect(404)).body).toEqual({ message: '404 Not found' });
    }
    expect((await v4(owner).get(other).expect(200)).body).toEqual([]);
  });

  it('are read from level reporter on, and by all who see the project where jobs are public', async () => {
    const { id } = await post({ state: 'success', name: 'a', ref: cast.fresh() });
    const at = `${path}/${String(id)}/jobs`;
    const jobs = await v4(guest).get(at).expect(200);
    expect(jobs.body).toMatchObject([{ commit: null }]);
    const settings = `/projects/${String(project.id)}`;
    await v4(owner).put(settings, { public_jobs: false }).expect(200);
    try {
      for (const one of [path, `${path}/latest`, `${path}/${String(id)}`, at]) {
        const refused = await v4(guest).get(one).expect(403);
        expect(refused.body).toEqual({ message: '403 Forbidden' });
      }
      await v4(cast.people.reporter as Person)
        .get(at)
        .expect(200);
      await v4(cast.people.stranger as Person)
        .get(at)
        .expect(404);
    } finally {
      await v4(owner).put(settings, { public_jobs: true }).expect(200);
    }
  });

  describe('of merge requests', () => {
    it('are those of its heads on the source branch', async () => {
      const source_branch = cast.fresh();
      const { iid } = await openMergeRequest(trellis, developer, project, { source_branch });
      const at = `${mergeRequestsOf(project)}/${String(iid)}`;
      const before = await v4(developer).get(at).expect(200);
      expect(before.body).toMatchObject({ head_pipeline: null, pipeline: null });
      expect((await v4(developer).get(`${at}/pipelines`).expect(200)).body).toEqual([]);
      await post({ state: 'success', name: 'a', ref: cast.fresh() });
      const old = await post({ state: 'failed', name: 'a', ref: source_branch });
      const actions = [{ action: 'create', file_path: 'more', content: 'x' }];
      const commit = await v4(developer)
        .post(`/projects/${String(project.id)}/repository/commits`, {
          ...{ branch: source_branch, commit_message: 'More', actions },
        })
        .expect(201);
      const { id: sha } = commit.body as { id: string };
      const head = await post({ state: 'running', name: 'a', ref: source_branch }, { sha });
      const pipelines = await v4(developer).get(`${at}/pipelines`).expect(200);
      expect(pipelines.body).toMatchObject([
        { id: head.id, sha, ref: source_branch, status: 'running' },
        { id: old.id, sha: cast.topic, status: 'failed' },
      ]);
      const { body } = await v4(developer).get(at).expect(200);
      expect(body).toMatchObject({
        head_pipeline: {
          id: head.id,
          sha,
          status: 'running',
          tag: false,
          user: { id: developer.user.id },
        },
        pipeline: { id: head.id, sha, status: 'running' },
        latest_build_started_at: TIMESTAMP,
        latest_build_finished_at: null,
      });
      await v4(guest).get(`${at}/pipelines`).expect(403);
    });

    it('are hidden from those who may not read pipelines of the source project', async () => {
      const target = cast.projects[20];
      const forks = new Forks(trellis);
      const fork = await forks.make(developer, target);
      await forks.copy(fork, target);
      const source_branch = 'topic/1';
      const created = await v4(developer)
        .post(mergeRequestsOf(fork), {
          ...{ source_branch, target_branch: 'master', title: 'From a fork' },
          target_project_id: target.id,
        })
        .expect(201);
      const { iid } = created.body as { iid: number };
      const of = { ...target, id: fork.id };
      const { id } = await post({ state: 'success', name: 'a', ref: source_branch }, { of });
      const at = `${mergeRequestsOf(target)}/${String(iid)}`;
      const stranger = cast.people.stranger as Person;
      expect((await v4(stranger).get(at).expect(200)).body).toMatchObject({
        head_pipeline: { id },
      });
      await v4(developer)
        .put(`/projects/${String(fork.id)}`, { visibility: 'private' })
        .expect(200);
      expect((await v4(stranger).get(at).expect(200)).body).toMatchObject({ head_pipeline: null });
      expect((await v4(stranger).get(`${at}/pipelines`).expect(200)).body).toEqual([]);
      expect((await v4(developer).get(at).expect(200)).body).toMatchObject({
        head_pipeline: { id },
      });
      expect((await v4(developer).get(`${at}/pipelines`).expect(200)).body).toMatchObject([{ id }]);
    });
  });
});
