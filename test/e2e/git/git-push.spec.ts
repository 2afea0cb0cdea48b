import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { numberedMessages, remoteOf } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

const ZERO = '0'.repeat(40);

describe('Git over HTTP: a push', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  it('is received, recorded, and sets and protects the default branch', async () => {
    const { project, work, head } = await projects.make();
    const answer = await trellis
      .as(owner)
      .get(`/projects/${String(project.id)}`)
      .expect(200);
    expect(answer.body).toMatchObject({ default_branch: 'master' });
    const events = await trellis.rows(
      'SELECT action, author_id, pushed_ref FROM events WHERE project_id = $1 ORDER BY id',
      [project.id],
    );
    expect(events).toEqual([
      { action: 'created', author_id: owner.user.id, pushed_ref: null },
      {
        action: 'pushed new',
        author_id: owner.user.id,
        pushed_ref: {
          ref: 'refs/heads/master',
          oldOid: ZERO,
          newOid: head,
          message: null,
          commits: [
            {
              oid: head,
              message: 'First commit\n',
              committedAt: expect.stringMatching(
                /^\d{4}-\d\d-\d\dT[\d:]{8}[+-]\d\d:\d\d$/,
              ) as string,
              author: { name: 'Ada', email: 'ada@example.com' },
            },
          ],
          commitCount: 1,
        },
      },
    ]);
    const intents = 'SELECT 1 FROM push_intents WHERE project_id = $1';
    expect(await trellis.rows(intents, [project.id])).toEqual([]);
    const rules = await trellis.rows(
      'SELECT name, developers_can_push, developers_can_merge FROM protected_branches WHERE project_id = $1',
      [project.id],
    );
    expect(rules).toEqual([
      { name: 'master', developers_can_push: false, developers_can_merge: false },
    ]);
    const jobs = await trellis.rows(
      `SELECT payload FROM outbox WHERE name = 'tidy-repository' AND (payload->>'projectId')::int = $1`,
      [project.id],
    );
    expect(jobs).toHaveLength(1);
    const clone = await projects.checkout(project, owner);
    await clone.git('pull', '--quiet', clone.remote, 'master');
    expect(await clone.git('rev-list', '--all')).toBe(await work.git('rev-list', '--all'));
    await clone.git('fsck', '--strict');
  });

  it('records an event for each ref: created, moved and deleted', async () => {
    const { project, work } = await projects.make();
    await work.commit('On a topic');
    await work.git('tag', '--annotate', '--message', 'Release', 'v1.0');
    const refs = ['HEAD:refs/heads/topic/a', 'HEAD:refs/heads/topic/b', 'v1.0'];
    expect((await work.push(...refs)).code).toBe(0);
    await work.commit('Further');
    expect((await work.push('HEAD:refs/heads/topic/a', ':refs/heads/topic/b')).code).toBe(0);
    const events = await trellis.rows<{ action: string; ref: string }>(
      `SELECT action, pushed_ref->>'ref' AS ref FROM events
        WHERE project_id = $1 AND pushed_ref IS NOT NULL ORDER BY id OFFSET 1`,
      [project.id],
    );
    expect(events.map(({ action, ref }) => `${action} ${ref}`).sort()).toEqual([
      'deleted refs/heads/topic/b',
      'pushed new refs/heads/topic/a',
      'pushed new refs/heads/topic/b',
      'pushed new refs/tags/v1.0',
      'pushed to refs/heads/topic/a',
    ]);
  });

  it('is refused on protected branches when a commit names a false parent', async () => {
    const { work, head } = await projects.make();
    await work.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
    const rewritten = await work.git('cat-file', 'commit', 'HEAD');
    const forged = await git(['hash-object', '-w', '-t', 'commit', '--stdin'], {
      cwd: work.folder,
      input: rewritten.replace('\n\n', `\nparent ${head}\n\n`),
    });
    const forced = await work.push('--force', `${forged}:refs/heads/master`);
    expect(forced.code).not.toBe(0);
    expect(forced.stderr).toContain(
      'You are not allowed to force push code to a protected branch on this project.',
    );
  });

  it('is refused on protected branches when it rewrites or deletes them', async () => {
    const { work, head } = await projects.make();
    await work.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
    const forced = await work.push('--force', 'HEAD:refs/heads/master');
    expect(forced.code).not.toBe(0);
    expect(forced.stderr).toContain(
      'You are not allowed to force push code to a protected branch on this project.',
    );
    const deleted = await work.push(':refs/heads/master');
    expect(deleted.code).not.toBe(0);
    expect(deleted.stderr).toContain(
      'You are not allowed to delete protected branches from this project.',
    );
    expect(await work.git('ls-remote', work.remote, 'refs/heads/master')).toContain(head);
  });

  it('is refused to developers where a master is required', async () => {
    const developer = await trellis.factories.user();
    const { project, work, head } = await projects.make();
    const empty = await trellis.factories.project(owner);
    for (const { id } of [project, empty]) {
      await trellis.rows(
        'INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, 30)',
        [id, developer.user.id],
      );
    }
    await work.git('tag', 'v1');
    expect((await work.push('v1')).code).toBe(0);
    const theirs = await projects.checkout(project, developer);
    await theirs.git('pull', '--quiet', theirs.remote, 'master');
    await theirs.commit('By a developer');
    const refused = await theirs.push('HEAD:refs/heads/master', 'HEAD:refs/heads/topic');
    expect(refused.stderr).toContain(
      'You are not allowed to push code to protected branches on this project.',
    );
    expect(await theirs.git('ls-remote', theirs.remote)).not.toContain('topic');
    const tag = await theirs.push('--force', 'HEAD:refs/tags/v1');
    expect(tag.stderr).toContain('You are not allowed to change existing tags on this project.');
    expect((await theirs.push('HEAD:refs/heads/topic')).code).toBe(0);
    const first = await theirs.try('push', remoteOf(trellis, empty, developer), 'HEAD:topic');
    expect(first.stderr).toContain('You are not allowed to push code to this project.');
    expect(await theirs.git('ls-remote', theirs.remote, 'refs/heads/master')).toContain(head);
  });

  it('accepts large compressed requests and shows their history', async () => {
    const { project, work } = await projects.make();
    await work.commitAll(numberedMessages(30));
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    const body = gzipSync('0000');
    const answer = await request(trellis.url)
      .post(`/${project.fullPath}.git/git-receive-pack`)
      .auth(owner.user.username, owner.token)
      .set('Content-Type', 'application/x-git-receive-pack-request')
      .set('Content-Encoding', 'gzip')
      .send(body);
    expect(answer.status).toBe(200);
    await request(trellis.url)
      .post(`/${project.fullPath}.git/git-receive-pack`)
      .auth(owner.user.username, owner.token)
      .set('Content-Encoding', 'compress')
      .send('0000')
      .expect(415);
  });

  it('is accepted from a shallow clone only if the project has the rest of its history', async () => {
    const { project, work } = await projects.make();
    await work.commit('Second commit');
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    const shallow = await projects.checkout(project, owner);
    await shallow.git('fetch', '--quiet', '--depth', '1', shallow.remote, 'master');
    await shallow.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
    const head = await shallow.commit('On a shallow clone');
    expect(await shallow.git('rev-parse', '--is-shallow-repository')).toBe('true');
    expect(await shallow.push('HEAD:refs/heads/master')).toMatchObject({ code: 0 });
    await work.git('fetch', '--quiet', work.remote, 'master');
    expect(await work.git('rev-list', '--count', head)).toBe('3');

    const other = await trellis.factories.project(owner);
    const refused = await shallow.try('push', remoteOf(trellis, other, owner), 'HEAD:master');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'unpacker error; the clone is shallow, git fetch --unshallow may help',
    );
    await shallow.git('fetch', '--quiet', '--unshallow', shallow.remote, 'master');
    const whole = await shallow.try('push', remoteOf(trellis, other, owner), 'HEAD:master');
    expect(whole.code).toBe(0);
  });

  it('succeeds for one of several on the same branch, and keeps all others', async () => {
    const { project, head } = await projects.make();
    const rivals = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const rival = await projects.checkout(project, owner);
        await rival.git('pull', '--quiet', rival.remote, 'master');
        await rival.commit(`By ${rival.folder}`);
        return rival;
      }),
    );
    const answers = await Promise.all(
      rivals.map(async (rival, index) => ({
        shared: await rival.push('HEAD:refs/heads/shared-base', 'HEAD:refs/heads/master'),
        own: await rival.push(`HEAD:refs/heads/own-${String(index)}`),
      })),
    );
    expect(answers.filter(({ own }) => own.code === 0)).toHaveLength(4);
    const [row] = await trellis.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM events
        WHERE project_id = $1 AND data->>'ref' = 'refs/heads/master' AND data->>'before' = $2`,
      [project.id, head],
    );
    expect(row?.count).toBe(1);
    const winners = answers.filter(({ shared }) => shared.code === 0);
    expect(winners).toHaveLength(1);
  });
});
