import { PROTECTED_BRANCHES_PER_PROJECT } from '../../../src/modules/repository/protection/protected-branches.service.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { meetBeforeWriting } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

describe('the protection of branches', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  async function make() {
    const made = await pushed.make();
    const id = String(made.project.id);
    const url = `/projects/${id}/repository/branches`;
    await trellis.as(owner).post(url, { branch_name: 'topic/a', ref: 'master' }).expect(200);
    return { ...made, id, url, refs: new PushedRefs(trellis, made.project) };
  }

  const rules = (id: string) =>
    trellis.rows(
      `SELECT name, developers_can_push AS push, developers_can_merge AS merge
         FROM protected_branches WHERE project_id = $1 AND name <> 'master' ORDER BY id`,
      [id],
    );

  it('requires a master', async () => {
    const { project, id, url } = await make();
    const developer = await memberOf(trellis, project, 30);
    const stranger = await trellis.factories.user();
    for (const verb of ['protect', 'unprotect']) {
      const path = `${url}/topic/a/${verb}`;
      await trellis.anonymous.put(path).expect(401);
      await trellis.as(stranger).put(path).expect(404, { message: '404 Project Not Found' });
      await trellis.as(developer).put(path).expect(403, { message: '403 Forbidden' });
      await trellis
        .as(owner)
        .put(`${url}/nowhere/${verb}`)
        .expect(404, { message: '404 Branch Not Found' });
    }
    await trellis
      .as(owner)
      .put(`${url}/topic/a/protect`, { developers_can_push: 'maybe' })
      .expect(400, { error: 'developers_can_push is invalid' });
    expect(await rules(id)).toEqual([]);
  });

  it('keeps flags that are not submitted', async () => {
    const { project, id, url, head } = await make();
    const master = await memberOf(trellis, project, 40);
    const protect = async (body: object, path = 'topic/a') =>
      (await trellis.as(master).put(`${url}/${path}/protect`, body).expect(200)).body as object;
    expect(await protect({})).toEqual({
      name: 'topic/a',
      commit: expect.objectContaining({ id: head }) as object,
      protected: true,
      developers_can_push: false,
      developers_can_merge: false,
      merged: true,
    });
    expect(await protect({ developers_can_push: true })).toMatchObject({
      developers_can_push: true,
      developers_can_merge: false,
    });
    expect(await protect({ developers_can_merge: 'true' }, 'topic%2Fa')).toMatchObject({
      developers_can_push: true,
      developers_can_merge: true,
    });
    expect(await protect({ developers_can_push: false, developers_can_merge: null })).toMatchObject(
      {
        developers_can_push: false,
        developers_can_merge: true,
      },
    );
    expect(await rules(id)).toEqual([{ name: 'topic/a', push: false, merge: true }]);
    for (let round = 0; round < 2; round += 1) {
      const answer = await trellis.as(master).put(`${url}/topic%2Fa/unprotect`).expect(200);
      expect(answer.body).toMatchObject({
        name: 'topic/a',
        protected: false,
        developers_can_push: false,
        developers_can_merge: false,
      });
    }
    expect(await rules(id)).toEqual([]);
  });

  it('creates one rule for concurrent requests', async () => {
    const { id, url } = await make();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        trellis
          .as(owner)
          .put(`${url}/topic/a/protect`, index % 2 === 0 ? { developers_can_push: true } : {}),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await rules(id)).toEqual([{ name: 'topic/a', push: true, merge: false }]);
  });

  it('is limited in number, also for concurrent requests', async () => {
    const { id, url } = await make();
    for (const name of ['b', 'c']) {
      await trellis.as(owner).post(url, { branch_name: name, ref: 'master' }).expect(200);
    }
    const [present] = await trellis.rows<{ count: number }>(
      'SELECT count(*)::int AS count FROM protected_branches WHERE project_id = $1',
      [id],
    );
    await trellis.rows(
      `INSERT INTO protected_branches (project_id, name)
       SELECT $1, 'old/' || n FROM generate_series(1, $2) n`,
      [id, PROTECTED_BRANCHES_PER_PROJECT - 1 - present!.count],
    );
    const requests = ['topic/a', 'b', 'c'].map((name) =>
      trellis.as(owner).put(`${url}/${name}/protect`),
    );
    const answers = await meetBeforeWriting(trellis, 'protected_branches', requests);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body).toEqual({
      message: `Maximum number of protected branches (${String(PROTECTED_BRANCHES_PER_PROJECT)}) exceeded`,
    });
    // What is protected can still be changed.
    await trellis.as(owner).put(`${url}/master/protect`, { developers_can_push: true }).expect(200);
  });

  it('applies to pushes over HTTP and to commits through the API', async () => {
    const { project, id, url, refs } = await make();
    const developer = await memberOf(trellis, project, 30);
    const work = await pushed.checkout(project, developer);
    await work.git('pull', '--quiet', work.remote, 'master');
    await work.commit('By git');
    const commit = (branch_name: string) =>
      trellis.as(developer).post(`/projects/${id}/repository/commits`, {
        branch_name,
        commit_message: 'By the API',
        actions: [{ action: 'create', file_path: `${String(Date.now())}.txt`, content: 'x' }],
      });
    const before = await refs.target('refs/heads/topic/a');
    await trellis.as(owner).put(`${url}/topic/a/protect`).expect(200);
    const refused = await work.push('HEAD:refs/heads/topic/a');
    expect(refused.stderr).toContain('protected branches');
    await commit('topic/a').expect(400, {
      message: 'You are not allowed to push into this branch',
    });
    await commit('master').expect(400, { message: 'You are not allowed to push into this branch' });
    expect(await refs.target('refs/heads/topic/a')).toBe(before);
    await trellis
      .as(owner)
      .put(`${url}/topic/a/protect`, { developers_can_push: true })
      .expect(200);
    expect((await work.push('HEAD:refs/heads/topic/a')).code).toBe(0);
    await commit('topic/a').expect(200);
    const forced = await work.push('--force', 'HEAD~1:refs/heads/topic/a');
    expect(forced.stderr).toContain('You are not allowed to force push code');
    await refs.expectSound();
  });

  it('covers branches that match a pattern, also new ones', async () => {
    const { project, id, url, refs } = await make();
    const developer = await memberOf(trellis, project, 30);
    await trellis.rows(
      `INSERT INTO protected_branches (project_id, name) VALUES ($1, 'release-*')`,
      [id],
    );
    await trellis.as(developer).post(url, { branch_name: 'release-1', ref: 'master' }).expect(403, {
      message:
        '403 Forbidden - You are not allowed to push code to protected branches on this project.',
    });
    expect(await refs.target('refs/heads/release-1')).toBeNull();
    const answer = await trellis.as(owner).post(url, { branch_name: 'release-1', ref: 'master' });
    expect(answer.body).toMatchObject({ protected: true });
  });
});
