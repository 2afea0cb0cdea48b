import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const ZERO = '0'.repeat(40);

describe('creation and deletion of tags', () => {
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
    const url = `/projects/${String(made.project.id)}/repository/tags`;
    return { ...made, url, refs: new PushedRefs(trellis, made.project) };
  }

  it('is refused without a credential, a project, the right, or parameters', async () => {
    const { project, url, refs } = await make();
    const body = { tag_name: 'v1', ref: 'master', description: 'x' };
    const stranger = await trellis.factories.user();
    const reporter = await memberOf(trellis, project, 20);
    const calls = [
      ['post', url],
      ['delete', `${url}/v1`],
      ['post', `${url}/v1/release`],
      ['put', `${url}/v1/release`],
    ] as const;
    for (const [verb, path] of calls) {
      await trellis.anonymous.call(verb, path).send(body).expect(401);
      await trellis
        .as(stranger)
        .call(verb, path)
        .send(body)
        .expect(404, { message: '404 Project Not Found' });
      await trellis
        .as(reporter)
        .call(verb, path)
        .send(body)
        .expect(403, { message: '403 Forbidden' });
    }
    await trellis.as(owner).post(url).expect(400, { error: 'tag_name is missing, ref is missing' });
    await trellis
      .as(owner)
      .post(`${url}/v1/release`)
      .expect(400, { error: 'description is missing' });
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    for (const [verb, path] of calls)
      await trellis.as(owner).call(verb, path).send(body).expect(403);
    expect(await refs.all()).toEqual(['refs/heads/master']);
  });

  it('creates lightweight tags, and annotated ones with a message', async () => {
    const { project, url, refs, head } = await make();
    const developer = await memberOf(trellis, project, 30);
    const plain = await trellis
      .as(developer)
      .post(url, { tag_name: 'v/1', ref: head.slice(0, 10) })
      .expect(200);
    const commit = expect.objectContaining({ id: head }) as object;
    expect(plain.body).toEqual({ name: 'v/1', message: null, commit, release: null });
    expect(await refs.target('refs/tags/v/1')).toBe(head);
    const body = {
      tag_name: 'v2',
      ref: 'master',
      message: 'Two\n\nMore',
      release_description: '# Notes',
    };
    const annotated = await trellis.as(developer).post(url, body).expect(200);
    expect(annotated.body).toEqual({
      name: 'v2',
      message: expect.stringMatching(/^Two\n\nMore\n?$/) as string,
      commit,
      release: { tag_name: 'v2', description: '# Notes' },
    });
    expect(await refs.git('cat-file', '-t', 'refs/tags/v2')).toBe('tag');
    expect(
      await refs.git(
        'for-each-ref',
        '--format=%(taggername) %(taggeremail) %(contents:subject) %(*objectname)',
        'refs/tags/v2',
      ),
    ).toBe(`${developer.user.name} <${developer.user.email}> Two ${head}`);
    expect(await refs.lastEvent()).toEqual({
      action: 'pushed new',
      ref: 'refs/tags/v2',
      before: ZERO,
      after: await refs.target('refs/tags/v2'),
      author: developer.user.id,
    });
    await refs.expectSound();
  });

  it('is refused for invalid and existing names and unknown revisions', async () => {
    const { url, refs } = await make();
    const as = trellis.as(owner);
    for (const tag_name of [
      'a..b',
      '-x',
      '../../x',
      'a b',
      'x.lock',
      'a\nb',
      '',
      'y'.repeat(251),
    ]) {
      await as.post(url, { tag_name, ref: 'master' }).expect(400, { message: 'Tag name invalid' });
    }
    await as
      .post(url, { tag_name: 'v1', ref: 'zzz' })
      .expect(400, { message: 'Target zzz is invalid' });
    await as
      .post(url, { tag_name: 'v1', ref: '--exec=x' })
      .expect(400, { message: 'Target --exec=x is invalid' });
    await as.post(url, { tag_name: 'v1', ref: 'master' }).expect(200);
    await as
      .post(url, { tag_name: 'v1', ref: 'master' })
      .expect(400, { message: 'Tag v1 already exists' });
    await as
      .post(url, { tag_name: 'v1/x', ref: 'master' })
      .expect(400, { message: 'Tag name invalid' });
    expect(await refs.all()).toEqual(['refs/heads/master', 'refs/tags/v1']);
    const rivals = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        as.post(url, { tag_name: 'v2', ref: 'master', message: String(index) }),
      ),
    );
    expect(rivals.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    await refs.expectSound();
  });

  it('removes the release too, through the API and by a push', async () => {
    const { project, url, refs, head, work } = await make();
    const developer = await memberOf(trellis, project, 30);
    for (const tag_name of ['v/1', 'v2']) {
      await trellis
        .as(owner)
        .post(url, { tag_name, ref: 'master', release_description: 'x' })
        .expect(200);
    }
    await trellis.as(developer).delete(`${url}/v/1`).expect(200, { tag_name: 'v/1' });
    expect(await refs.lastEvent()).toEqual({
      action: 'deleted',
      ref: 'refs/tags/v/1',
      before: head,
      after: ZERO,
      author: developer.user.id,
    });
    await trellis.as(developer).delete(`${url}/v%2F1`).expect(404, { message: 'No such tag' });
    expect((await work.push(':refs/tags/v2')).code).toBe(0);
    expect(
      await trellis.rows('SELECT 1 FROM releases WHERE project_id = $1', [project.id]),
    ).toEqual([]);
    await refs.expectSound();
  });

  it('allows one release for each tag', async () => {
    const { project, url } = await make();
    const developer = await memberOf(trellis, project, 30);
    const as = trellis.as(developer);
    await as.post(url, { tag_name: 'v/1', ref: 'master' }).expect(200);
    await as
      .put(`${url}/v/1/release`, { description: 'x' })
      .expect(404, { message: 'Release does not exist' });
    const made = { tag_name: 'v/1', description: 'First' };
    await as.post(`${url}/v/1/release`, { description: 'First' }).expect(200, made);
    await as
      .post(`${url}/v%2F1/release`, { description: 'x' })
      .expect(409, { message: 'Release already exists' });
    await as
      .put(`${url}/v%2F1/release`, { description: 'Other' })
      .expect(200, { ...made, description: 'Other' });
    for (const verb of ['post', 'put'] as const) {
      await as
        .call(verb, `${url}/v2/release`)
        .send({ description: 'x' })
        .expect(404, { message: 'Tag does not exist' });
    }
    await as.post(url, { tag_name: 'v3', ref: 'master' }).expect(200);
    const rivals = await Promise.all(
      Array.from({ length: 5 }, () => as.post(`${url}/v3/release`, { description: 'x' })),
    );
    expect(rivals.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(
      await trellis.rows(
        'SELECT tag, description FROM releases WHERE project_id = $1 ORDER BY id',
        [project.id],
      ),
    ).toEqual([
      { tag: 'v/1', description: 'Other' },
      { tag: 'v3', description: 'x' },
    ]);
  });
});
