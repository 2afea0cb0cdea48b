import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const ZERO = '0'.repeat(40);

describe('creation and deletion of branches', () => {
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
    const url = `/projects/${String(made.project.id)}/repository/branches`;
    return { ...made, url, refs: new PushedRefs(trellis, made.project) };
  }

  it('is refused without a credential, a project or the right', async () => {
    const { project, url, refs } = await make();
    const body = { branch_name: 'topic', ref: 'master' };
    await trellis.anonymous.post(url, body).expect(401, { message: '401 Unauthorized' });
    await trellis.anonymous.delete(`${url}/topic`).expect(401);
    const stranger = await trellis.factories.user();
    await trellis.as(stranger).post(url, body).expect(404, { message: '404 Project Not Found' });
    await trellis.as(stranger).delete(`${url}/topic`).expect(404);
    const reporter = await memberOf(trellis, project, 20);
    await trellis.as(reporter).post(url, body).expect(403, { message: '403 Forbidden' });
    await trellis.as(reporter).delete(`${url}/master`).expect(403);
    await trellis
      .as(owner)
      .post(url)
      .expect(400, { error: 'branch_name is missing, ref is missing' });
    expect(await refs.all()).toEqual(['refs/heads/master']);
  });

  it('starts from a branch or a hash and records a push event', async () => {
    const { project, url, refs, head } = await make();
    const developer = await memberOf(trellis, project, 30);
    const answer = await trellis
      .as(developer)
      .post(url, { branch_name: 'topic/ä', ref: 'master' })
      .expect(200);
    expect(answer.body).toEqual({
      name: 'topic/ä',
      commit: expect.objectContaining({ id: head, message: 'First commit\n' }) as object,
      protected: false,
      developers_can_push: false,
      developers_can_merge: false,
      merged: true,
    });
    expect(await refs.target('refs/heads/topic/ä')).toBe(head);
    expect(await refs.lastEvent()).toEqual({
      action: 'pushed new',
      ref: 'refs/heads/topic/ä',
      before: ZERO,
      after: head,
      author: developer.user.id,
    });
    await trellis.as(owner).post(url, { branch_name: 'by-hash', ref: head }).expect(200);
    await trellis
      .as(owner)
      .post(url, { branch_name: 'by-part', ref: head.slice(0, 8) })
      .expect(200);
    expect(await refs.target('refs/heads/by-part')).toBe(head);
    await refs.expectSound();
  });

  it('is refused for invalid, existing and conflicting names and unknown revisions', async () => {
    const { url, refs } = await make();
    const as = trellis.as(owner);
    const bad = [
      'a..b',
      '-x',
      '../../x',
      'HEAD',
      'HEAD@{1}',
      'a b',
      'x.lock',
      'a~1',
      'a\nb',
      '/a',
      'a/',
      '',
      'a//b',
      'x'.repeat(4000),
      'y'.repeat(251),
    ];
    for (const branch_name of bad) {
      await as
        .post(url, { branch_name, ref: 'master' })
        .expect(400, { message: 'Branch name is invalid' });
    }
    await as.post(url, { branch_name: 'a\u0000b', ref: 'master' }).expect(400);
    await as
      .post(url, { branch_name: 'master', ref: 'master' })
      .expect(400, { message: 'Branch already exists' });
    await as
      .post(url, { branch_name: 'master/x', ref: 'master' })
      .expect(400, { message: 'Branch name is invalid' });
    for (const ref of [
      'nowhere',
      '--upload-pack=x',
      '-oProxyCommand=x',
      'HEAD@{1}',
      'master^',
      'f'.repeat(40),
      '',
    ]) {
      await as
        .post(url, { branch_name: 'topic', ref })
        .expect(400, { message: 'Invalid reference name' });
    }
    expect(await refs.all()).toEqual(['refs/heads/master']);
    const empty = await trellis.factories.project(owner);
    await as
      .post(`/projects/${String(empty.id)}/repository/branches`, {
        branch_name: 'a',
        ref: 'master',
      })
      .expect(400, { message: 'Invalid reference name' });
    await refs.expectSound();
  });

  it('accepts names with encoded and unencoded slashes', async () => {
    const { project, url, refs, head } = await make();
    const developer = await memberOf(trellis, project, 30);
    for (const name of ['one/two', 'one/three']) {
      await trellis.as(owner).post(url, { branch_name: name, ref: 'master' }).expect(200);
    }
    await trellis.as(developer).delete(`${url}/one/two`).expect(200, { branch_name: 'one/two' });
    await trellis
      .as(developer)
      .delete(`${url}/one%2Fthree`)
      .expect(200, { branch_name: 'one/three' });
    expect(await refs.all()).toEqual(['refs/heads/master']);
    expect(await refs.lastEvent()).toEqual({
      action: 'deleted',
      ref: 'refs/heads/one/three',
      before: head,
      after: ZERO,
      author: developer.user.id,
    });
    await trellis.as(developer).delete(`${url}/one/two`).expect(404, { message: 'No such branch' });
    await trellis
      .as(developer)
      .delete(`${url}/..%2f..%2fx`)
      .expect(404, { message: 'No such branch' });
    await refs.expectSound();
  });

  it('is refused for default and protected branches', async () => {
    const { url, refs } = await make();
    const as = trellis.as(owner);
    await as.delete(`${url}/master`).expect(405, { message: 'Cannot remove HEAD branch' });
    await as.post(url, { branch_name: 'stable', ref: 'master' }).expect(200);
    await as.put(`${url}/stable/protect`).expect(200);
    await as.delete(`${url}/stable`).expect(405, { message: 'Protected branch cant be removed' });
    expect(await refs.all()).toEqual(['refs/heads/master', 'refs/heads/stable']);
    await as.put(`${url}/stable/unprotect`).expect(200);
    await as.delete(`${url}/stable`).expect(200);
  });

  it('is refused in an archived project', async () => {
    const { project, url, refs } = await make();
    await trellis.as(owner).post(url, { branch_name: 'topic', ref: 'master' }).expect(200);
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    await trellis.as(owner).post(url, { branch_name: 'other', ref: 'master' }).expect(403);
    await trellis.as(owner).delete(`${url}/topic`).expect(403);
    expect(await refs.all()).toEqual(['refs/heads/master', 'refs/heads/topic']);
  });

  it('creates one branch for concurrent requests', async () => {
    const { url, refs } = await make();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        trellis.as(owner).post(url, { branch_name: 'wanted', ref: 'master' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    const events = await refs.events();
    expect(events.filter(({ ref }) => ref === 'refs/heads/wanted')).toHaveLength(1);
    await refs.expectSound();
  });
});
