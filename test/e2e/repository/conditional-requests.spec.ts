import request, { type Response } from 'supertest';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

/** Paths below a project, as they differ in what their validators depend on. */
const REPOSITORY = [
  'repository/commits',
  'repository/commits?per_page=1&page=2',
  'repository/commits/master',
  'repository/commits/master/diff',
  'repository/commits/master/blob?filepath=file.txt',
  'repository/branches',
  'repository/branches/master',
  'repository/tree',
  'repository/files?file_path=file.txt&ref=master',
  'repository/archive.tar?sha=master',
  'repository/compare?from=start&to=master',
  'repository/contributors',
  'repository/tags',
];
const ROWS = ['', 'issues', 'labels', 'merge_requests'];
/** Below a merge request. */
const CONTENTS = ['commits', 'changes', 'versions'];

describe('conditional requests', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    await trellis
      .as(owner)
      .post(`/projects/${String(pushed.project.id)}/repository/tags`, {
        tag_name: 'start',
        ref: 'master',
      })
      .expect(200);
  });
  afterAll(() => projects.remove());

  function ask(
    path: string,
    tag: string | undefined,
    { person = owner, through = trellis } = {},
  ): Promise<Response> {
    const address = `/api/v3/projects/${String(pushed.project.id)}/${path}`;
    const asked = request(through.url).get(address).set('PRIVATE-TOKEN', person.token);
    return tag === undefined ? asked : asked.set('If-None-Match', tag);
  }

  async function tagOf(path: string): Promise<string> {
    const { status, headers } = await ask(path, undefined);
    expect([path, status]).toEqual([path, 200]);
    return headers['etag'] as string;
  }

  it.each([...REPOSITORY, ...ROWS])('return 304 to a client with %s', async (path) => {
    const tag = await tagOf(path);
    const answer = await ask(path, tag);
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', tag]);
  });

  it('return refs changed by a push', async () => {
    await pushed.work.commit('Second commit');
    expect((await pushed.work.push('HEAD:refs/heads/master')).code).toBe(0);
    const before = new Map<string, string>();
    for (const path of REPOSITORY) before.set(path, await tagOf(path));
    await pushed.work.commit('Third commit');
    expect((await pushed.work.push('HEAD:refs/heads/master')).code).toBe(0);
    const statuses = await Promise.all(
      REPOSITORY.map(async (path) => [path, (await ask(path, before.get(path))).status]),
    );
    expect(statuses).toEqual(
      REPOSITORY.map((path) => [path, path === 'repository/tags' ? 304 : 200]),
    );
  });

  it('return changed statuses and protections', async () => {
    const commit = await tagOf('repository/commits/master');
    const list = await tagOf('repository/commits');
    const comparison = await tagOf('repository/compare?from=start&to=master');
    const branch = await tagOf('repository/branches/master');
    const base = `/projects/${String(pushed.project.id)}`;
    const { body } = await ask('repository/commits/master', undefined);
    const { id } = body as { id: string };
    await trellis.as(owner).post(`${base}/statuses/${id}`, { state: 'success' }).expect(200);
    expect((await ask('repository/commits/master', commit)).status).toBe(200);
    expect((await ask('repository/commits', list)).status).toBe(200);
    const compared = await ask('repository/compare?from=start&to=master', comparison);
    expect(compared.status).toBe(200);
    expect((await ask('repository/branches/master', branch)).status).toBe(304);
    await trellis.as(owner).put(`${base}/repository/branches/master/unprotect`, {}).expect(200);
    expect((await ask('repository/branches/master', branch)).status).toBe(200);
  });

  it('return a list with only a changed total', async () => {
    const base = `/projects/${String(pushed.project.id)}`;
    const create = (title: string) =>
      trellis.as(owner).post(`${base}/issues`, { title }).expect(200);
    await create('shown');
    const page = 'issues?per_page=1&order_by=created_at&sort=asc';
    const tag = await tagOf(page);
    await create('on the next page');
    const answer = await ask(page, tag);
    expect([answer.status, answer.headers['x-total']]).toEqual([200, '2']);
  });

  it('return changed contents of a merge request', async () => {
    const { work } = pushed;
    await work.commit('Fourth commit');
    expect((await work.push('HEAD:refs/heads/feature')).code).toBe(0);
    const base = `/projects/${String(pushed.project.id)}/merge_requests`;
    const created = await trellis
      .as(owner)
      .post(base, { source_branch: 'feature', target_branch: 'master', title: 'Feature' })
      .expect(200);
    const { id } = created.body as { id: number };
    const { body } = await ask(`merge_requests/${String(id)}/versions`, undefined);
    const [version] = body as { id: number }[];
    const paths = [...CONTENTS, `versions/${String(version?.id)}`].map(
      (path) => `merge_requests/${String(id)}/${path}`,
    );
    const statusesFor = async (tags: readonly string[]) =>
      Promise.all(paths.map(async (path, index) => (await ask(path, tags[index])).status));
    const tags = await Promise.all(paths.map(tagOf));
    expect(await statusesFor(tags)).toEqual([304, 304, 304, 304]);
    await trellis
      .as(owner)
      .put(`${base}/${String(id)}`, { title: 'Renamed' })
      .expect(200);
    expect(await statusesFor(tags)).toEqual([304, 200, 304, 304]);
    await work.commit('Fifth commit');
    expect((await work.push('HEAD:refs/heads/feature')).code).toBe(0);
    expect(await statusesFor(tags)).toEqual([200, 200, 200, 304]);
  });

  it('refuse callers without access, also with a valid validator', async () => {
    const stranger = await trellis.factories.user();
    const member = await trellis.factories.user();
    const members = `/projects/${String(pushed.project.id)}/members`;
    const reporter = { user_id: member.user.id, access_level: 20 };
    await trellis.as(owner).post(members, reporter).expect(200);
    const tags = new Map<string, string>();
    for (const path of [...REPOSITORY, ...ROWS]) {
      tags.set(path, (await ask(path, undefined, { person: member })).headers['etag'] as string);
    }
    await trellis
      .as(owner)
      .delete(`${members}/${String(member.user.id)}`)
      .expect(200);
    for (const [path, tag] of tags) {
      expect(tag).toMatch(/^W\//);
      for (const person of [stranger, member]) {
        for (const known of [tag, '*']) {
          const answer = await ask(path, known, { person });
          expect([path, answer.status, answer.headers['etag']]).toEqual([path, 404, undefined]);
        }
      }
    }
  });

  it('return to another reader that reader’s view', async () => {
    const guest = await trellis.factories.user();
    const members = `/projects/${String(pushed.project.id)}/members`;
    await trellis.as(owner).post(members, { user_id: guest.user.id, access_level: 10 }).expect(200);
    const answer = await ask('', await tagOf(''), { person: guest });
    expect([answer.status, (answer.body as { runners_token?: string }).runners_token]).toEqual([
      200,
      undefined,
    ]);
  });

  it('have the same validators in all processes', async () => {
    const address = trellis.url.replace('127.0.0.1', 'localhost');
    const other = await Trellis.start({
      because: 'another process',
      beside: trellis,
      env: { EXTERNAL_URL: address },
    });
    try {
      for (const path of [...REPOSITORY, ...ROWS]) {
        const answer = await ask(path, await tagOf(path), { through: other });
        expect([path, answer.status]).toEqual([path, 304]);
      }
    } finally {
      await other.stop();
    }
  });

  it.each([
    ['issues', 'private, no-cache'],
    ['repository/archive.tar?sha=master', 'private, no-cache'],
    ['', 'no-store'],
  ])('allow caching of %j: %s', async (path, cacheControl) => {
    const { headers } = await ask(path, undefined);
    expect(headers).toMatchObject({
      'cache-control': cacheControl,
      vary: 'Authorization, Private-Token, Sudo',
    });
  });

  it('forbid caching of private tokens', async () => {
    const admin = await trellis.factories.user({ admin: true });
    const answer = await request(trellis.url)
      .get('/api/v3/user')
      .set('PRIVATE-TOKEN', admin.token)
      .set('SUDO', String(owner.user.id))
      .expect(200);
    expect(answer.body).toHaveProperty('private_token');
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});
