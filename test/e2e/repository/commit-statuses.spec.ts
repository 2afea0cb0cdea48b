import type { Test } from 'supertest';
import { expectByRole } from '../../support/by-role.js';
import type { Role } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import { type FilledCast, makeFilledCast } from '../../support/filled-cast.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

interface StatusBody {
  id: number;
  name: string;
}

describe('POST /projects/:id/statuses/:sha', () => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let cast: FilledCast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    developer = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make({ visibilityLevel: 20 });
    await trellis.factories.addToProject(made.project, developer, 30);
    cast = await makeFilledCast(trellis);
  });
  afterAll(() => projects.remove());

  const path = (sha = made.head) => `/projects/${String(made.project.id)}/statuses/${sha}`;
  const post = (body: object, sha?: string, person = developer): Test =>
    trellis.as(person).post(path(sha), body);
  const posted = async (body: object, sha?: string, person?: Person) =>
    (await post(body, sha, person).expect(200)).body as StatusBody;

  it('requires a credential, a known state, a project, the right and a commit, in this order', async () => {
    await trellis.anonymous.post(path(), { state: 'success' }).expect(401);
    const nowhere = '/projects/2147483647/statuses/master';
    const missing = await trellis.as(owner).post(nowhere).expect(400);
    expect(missing.body).toEqual({ error: 'state is missing' });
    for (const state of ['skipped', 'SUCCESS', 'created', '', ' pending', 'failure']) {
      const answer = await trellis.as(owner).post(nowhere, { state }).expect(400);
      expect(answer.body).toEqual({ error: 'state does not have a valid value' });
    }
    const absent = await trellis.as(owner).post(nowhere, { state: 'success' }).expect(404);
    expect(absent.body).toEqual({ message: '404 Project Not Found' });
    const reporter = await trellis.factories.user();
    await trellis.factories.addToProject(made.project, reporter, 20);
    const refused = await post({ state: 'success' }, 'absent', reporter).expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    for (const sha of ['absent', '0'.repeat(40), 'HEAD~1', made.head.slice(0, 6), '-x']) {
      const answer = await post({ state: 'success' }, sha).expect(404);
      expect(answer.body).toEqual({ message: '404 Commit Not Found' });
    }
    const rows = await trellis.rows('SELECT 1 FROM commit_statuses WHERE project_id = $1', [
      made.project.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('takes few statements', async () => {
    const write = () => posted({ state: 'success', ref: 'master', name: 'counted' });
    await write();
    // The caller with the access; begin, the lock of the pipeline and its statuses; the status; the merge requests of
    // the branch; commit.
    expect(await trellis.statements.costOf(write)).toEqual({ statements: 7, roundTrips: 5 });
  });

  it('requires a developer at every visibility', async () => {
    const able = new Set<Role>(['developer', 'master', 'owner', 'admin', 'externalMember']);
    await expectByRole(
      trellis,
      cast,
      (client, { id }) =>
        client.post(`/projects/${String(id)}/statuses/${cast.head}`, { state: 'success' }),
      able,
    );
  });

  it('returns every field, and stores the full hash and the author', async () => {
    const body = {
      state: 'running',
      ref: 'master',
      name: 'unit',
      target_url: 'https://ci.example/1',
    };
    const first = await posted({ ...body, description: 'At work' }, made.head.slice(0, 8));
    const expected = {
      id: expect.any(Number) as number,
      sha: made.head,
      ref: 'master',
      name: 'unit',
      status: 'running',
      description: 'At work',
      target_url: 'https://ci.example/1',
      allow_failure: false,
      created_at: TIMESTAMP,
      started_at: TIMESTAMP,
      finished_at: null,
      author: summaryOf(trellis, developer),
    };
    expect(first).toEqual(expected);
    const done = await posted({ state: 'success', ref: 'master', name: 'unit' }, 'master', owner);
    expect(done).toEqual({
      ...first,
      status: 'success',
      finished_at: TIMESTAMP,
      author: summaryOf(trellis, owner),
    });
    const [row] = await trellis.rows('SELECT * FROM commit_statuses WHERE id = $1', [first.id]);
    expect(row).toMatchObject({
      project_id: made.project.id,
      sha: made.head,
      author_id: owner.user.id,
      status: 'success',
      allow_failure: false,
    });
  });

  it('accepts branches and tags with slashes, and context as the name', async () => {
    await made.work.push('HEAD:refs/heads/topic/one', 'HEAD:refs/tags/v1/rc.json');
    for (const sha of ['topic/one', 'topic%2Fone', 'v1/rc.json', 'v1%2Frc.json', 'master']) {
      const status = await posted({ state: 'success', context: 'by context' }, sha);
      expect(status).toMatchObject({ sha: made.head, name: 'by context' });
    }
    const both = await posted({ state: 'success', name: 'by name', context: 'by context' });
    expect(both.name).toBe('by name');
    for (const body of [{}, { name: '' }, { name: null, context: ' ' }]) {
      expect((await posted({ state: 'success', ...body })).name).toBe('default');
    }
  });

  it('defaults to the alphabetically first branch with the commit', async () => {
    const { work, project, head } = await projects.make();
    const at = (sha: string) =>
      trellis
        .as(owner)
        .post(`/projects/${String(project.id)}/statuses/${sha}`, { state: 'pending' });
    const second = await work.commit('Second');
    await work.push('HEAD:refs/heads/b', 'HEAD:refs/heads/a/b', 'HEAD:refs/tags/tagged');
    expect((await at(head).expect(200)).body).toMatchObject({ ref: 'a/b' });
    expect((await at(second).expect(200)).body).toMatchObject({ ref: 'a/b' });
    await work.push(':refs/heads/a/b');
    expect((await at(second).expect(200)).body).toMatchObject({ ref: 'b' });
    expect((await at(head).expect(200)).body).toMatchObject({ ref: 'b' });
    await work.push(':refs/heads/b');
    const none = await at('tagged').expect(404);
    expect(none.body).toEqual({ message: '404 References for commit Not Found' });
    const given = await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/statuses/tagged`, { state: 'pending', ref: 'tagged' });
    expect(given.body).toMatchObject({ ref: 'tagged', sha: second });
  });

  it('refuses long values, and accepts everything else as text', async () => {
    const long = (field: string, length: number) =>
      post({
        state: 'success',
        ref: 'master',
        [field]: (field === 'target_url' ? 'https://ci.example/' : '').padEnd(length, 'x'),
      });
    for (const [field, limit] of [
      ['ref', 255],
      ['name', 255],
      ['target_url', 2048],
      ['description', 2048],
    ] as const) {
      await long(field, limit).expect(200);
      const { body } = await long(field, limit + 1).expect(400);
      const text = `is too long (maximum is ${String(limit)} characters)`;
      expect(body).toEqual({ message: { [field]: [text] } });
    }
    for (const field of ['ref', 'name', 'context', 'target_url', 'description']) {
      for (const value of [{ a: 1 }, ['x'], 'a\0b']) {
        const { body } = await post({ state: 'success', [field]: value }).expect(400);
        expect(body).toEqual({ error: `${field} is invalid` });
      }
    }
    const odd = "'; DROP TABLE commit_statuses; -- \u202e%_\\";
    const kept = await posted({ state: 'success', ref: odd, name: odd, description: odd });
    expect(kept).toMatchObject({ ref: odd, name: odd, description: odd });
  });

  it('refuses an address that is neither http nor https, and treats a blank one as none', async () => {
    const addresses = [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      'ftp://ci.example/1',
      '//ci.example/1',
      '/builds/1',
      'ci.example',
      'https://',
      'http://a b',
      'http://a\u3000b/',
      'https://ci.example/a\u2028b',
      'https://ci.example/a\tb',
      'http://a\n.example',
      'https:ci.example',
      '7',
    ];
    const { project, head } = await projects.make();
    const address = `/projects/${String(project.id)}/statuses/${head}`;
    for (const target_url of addresses) {
      const sent = trellis.as(owner).post(address, { state: 'success', target_url });
      const { status, body } = await sent;
      expect({ target_url, status, body }).toEqual({
        target_url,
        status: 400,
        body: { message: { target_url: ['must be a valid URL'] } },
      });
    }
    const list = `/projects/${String(project.id)}/repository/commits/${head}/statuses`;
    expect((await trellis.as(owner).get(list).expect(200)).body).toEqual([]);
    for (const [target_url, kept] of [
      ['https://ci.example/1?a=b#c', 'https://ci.example/1?a=b#c'],
      ['HTTP://10.0.0.1:8080', 'HTTP://10.0.0.1:8080'],
      ['', null],
      [null, null],
    ]) {
      const sent = { state: 'success', target_url };
      const { body } = await trellis.as(owner).post(address, sent).expect(200);
      expect(body).toMatchObject({ target_url: kept });
    }
  });

  it('encodes blanks within an address, and trims it', async () => {
    const { project, head } = await projects.make();
    const address = `/projects/${String(project.id)}/statuses/${head}`;
    for (const [target_url, kept] of [
      [
        'https://ci.example/my build/1?q=a b#c  d',
        'https://ci.example/my%20build/1?q=a%20b#c%20%20d',
      ],
      ['https://ci.example/100%25/a%20b+c é', 'https://ci.example/100%25/a%20b+c%20é'],
      ['https://ci.example/a\u00a0b\u3000c', 'https://ci.example/a%C2%A0b%E3%80%80c'],
      [' https://ci.example/1\n', 'https://ci.example/1'],
    ]) {
      const sent = { state: 'success', target_url };
      const { body } = await trellis.as(owner).post(address, sent).expect(200);
      expect(body).toMatchObject({ target_url: kept });
    }
    const target_url = 'https://ci.example/'.padEnd(1000).padEnd(2000, 'x');
    const sent = trellis.as(owner).post(address, { state: 'success', target_url });
    expect((await sent.expect(400)).body).toEqual({
      message: { target_url: ['is too long (maximum is 2048 characters)'] },
    });
  });

  it('refuses more statuses of a commit than the limit, on whatever ref, but changes unfinished ones', async () => {
    const { project, head, work } = await projects.make();
    const report = (body: object, sha = head) =>
      trellis.as(owner).post(`/projects/${String(project.id)}/statuses/${sha}`, body);
    await report({ state: 'running', name: 'last' }).expect(200);
    await trellis.rows(
      `INSERT INTO commit_statuses (project_id, sha, ref, name, status, author_id)
       SELECT $1, $2, 'many', 'test', 'success', $3 FROM generate_series(1, 9999)`,
      [project.id, head, owner.user.id],
    );
    const refused = await report({ state: 'pending', ref: 'other' }).expect(400);
    expect(refused.body).toEqual({
      message: 'Maximum number of statuses of a commit (10000) exceeded',
    });
    await report({ state: 'success', name: 'last' }).expect(200);
    const second = await work.commit('Second');
    await work.push('master');
    await report({ state: 'pending' }, second).expect(200);
  });

  it('works in archived projects, and not in deleted ones', async () => {
    const { project, head } = await projects.make();
    const address = `/projects/${String(project.id)}/statuses/${head}`;
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    await trellis.as(owner).post(address, { state: 'success' }).expect(200);
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}`)
      .expect(200);
    await trellis.as(owner).post(address, { state: 'success' }).expect(404);
  });
});
