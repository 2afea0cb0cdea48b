import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { numberedMessages } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

interface PushEventBody {
  action_name: string;
  data: {
    ref: string;
    total_commits_count: number;
    commits: { id: string; message: string; author: object }[];
  } | null;
}

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/) as string;

describe('the events of pushes', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  const list = async ({ id }: MadeProject): Promise<PushEventBody[]> => {
    const { body } = await trellis
      .as(owner)
      .get(`/projects/${String(id)}/events`)
      .expect(200);
    return body as PushEventBody[];
  };

  const lastCommit = async (project: MadeProject) => (await list(project))[0]?.data?.commits.at(-1);

  it('count the commits of a push, and include the newest twenty, oldest first', async () => {
    const { project, work, head } = await projects.make();
    const oids = [head, ...(await work.commitAll(numberedMessages(22)))];
    await work.push(
      'HEAD:refs/heads/master',
      'HEAD:refs/heads/same',
      `${String(oids[3])}:refs/heads/older`,
    );
    await work.git('checkout', '--quiet', '-b', 'side', String(oids[1]));
    oids.push(await work.commit('Aside', 'side.txt'));
    await work.git('merge', '--quiet', '--no-edit', String(oids[5]));
    await work.git('tag', '--annotate', '--message', 'Version one', 'v1', 'HEAD');
    await work.push('side', 'v1');
    await work.push('--force', `${head}:refs/heads/side`);
    await work.push('--delete', 'refs/heads/side', 'refs/tags/v1');
    const events = await list(project);
    const told = events
      .filter(({ data }) => data !== null)
      .map(({ action_name: action, data }) => [
        action,
        data?.ref.replace('refs/', ''),
        data?.total_commits_count,
        data?.commits.length,
      ]);
    // Refs of one push come in no order of their own.
    const byPush = [
      told.slice(0, 2),
      told.slice(2, 3),
      told.slice(3, 5),
      told.slice(5, 8),
      told.slice(8),
    ];
    expect(byPush.map((rows) => rows.map((row) => row.join(' ')).sort())).toEqual([
      ['deleted heads/side 0 0', 'deleted tags/v1 0 0'],
      ['pushed to heads/side 0 0'],
      ['pushed new heads/side 2 2', 'pushed new tags/v1 1 1'],
      ['pushed new heads/older 0 0', 'pushed new heads/same 0 0', 'pushed to heads/master 22 20'],
      ['pushed new heads/master 1 1'],
    ]);
    const master = events.find(({ data }) => data?.total_commits_count === 22);
    expect(master?.data?.commits.map(({ id }) => id)).toEqual(oids.slice(3, 23));
  });

  it('have the fields of a hook, without e-mail addresses of accounts', async () => {
    const { project, work, head } = await projects.make();
    await work.git('tag', '--annotate', '--message', 'Version one', 'v1', 'HEAD');
    await work.push('v1');
    await work.push('--delete', 'v1');
    const data = (await list(project)).flatMap((event) => event.data ?? []);
    const pushed = {
      user_id: owner.user.id,
      user_name: owner.user.name,
      user_avatar: expect.stringContaining('gravatar') as string,
      message: null,
      project_id: project.id,
      project: expect.objectContaining({ path_with_namespace: project.fullPath }) as object,
      repository: expect.objectContaining({ name: expect.any(String) as string }) as object,
    };
    const tag = { object_kind: 'tag_push', event_name: 'tag_push', ref: 'refs/tags/v1', ...pushed };
    const commits = [expect.objectContaining({ id: head, timestamp: TIMESTAMP }) as object];
    const oid = await work.git('rev-parse', 'v1');
    const zeros = '0'.repeat(40);
    expect(data).toEqual([
      {
        ...tag,
        before: oid,
        after: zeros,
        checkout_sha: null,
        commits: [],
        total_commits_count: 0,
      },
      {
        ...tag,
        before: zeros,
        after: oid,
        checkout_sha: head,
        message: 'Version one',
        commits,
        total_commits_count: 1,
      },
      {
        object_kind: 'push',
        event_name: 'push',
        before: zeros,
        after: head,
        ref: 'refs/heads/master',
        checkout_sha: head,
        ...pushed,
        commits,
        total_commits_count: 1,
      },
    ]);
    const { text } = await trellis
      .as(owner)
      .get(`/projects/${String(project.id)}/events`)
      .expect(200);
    expect(text).not.toContain(owner.user.email);
  });

  it('have all fields for a push that 0.2.0 records', async () => {
    const { project, head } = await projects.make();
    const stored = {
      ...{ object_kind: 'tag_push', before: '0'.repeat(40), after: head, ref: 'refs/tags/v2' },
      ...{ user_id: owner.user.id, user_name: 'Old', project_id: project.id },
      repository: { name: 'Old', url: 'old', description: null, homepage: 'old' },
      commits: [
        {
          ...{ id: head, message: 'First', timestamp: '2020-02-02T20:20:20+02:00', url: 'old' },
          author: { name: 'Ada', email: 'ada@example.com' },
        },
      ],
      total_commits_count: 1,
    };
    await trellis.rows(
      `INSERT INTO events (project_id, author_id, action, data) VALUES ($1, $2, 'pushed new', $3)`,
      [project.id, owner.user.id, JSON.stringify(stored)],
    );
    const [{ data } = { data: null }] = await list(project);
    expect(data).toEqual({
      ...stored,
      ...{ event_name: 'tag_push', checkout_sha: head, message: null },
      ...{ user_name: owner.user.name, user_avatar: expect.any(String) as string },
      project: expect.objectContaining({ path_with_namespace: project.fullPath }) as object,
      repository: expect.objectContaining({ name: project.path }) as object,
      commits: [{ ...stored.commits[0], url: `${trellis.url}/${project.fullPath}/commit/${head}` }],
    });
  });

  it('have addresses of commits that follow a rename of the project', async () => {
    const { project, head } = await projects.make();
    const path = `${project.path}-renamed`;
    await trellis
      .as(owner)
      .put(`/projects/${String(project.id)}`, { path })
      .expect(200);
    const namespace = project.fullPath.slice(0, -project.path.length);
    expect(await lastCommit(project)).toMatchObject({
      url: `${trellis.url}/${namespace}${path}/commit/${head}`,
    });
  });

  it('store texts of any kind and size', async () => {
    const { project, work } = await projects.make();
    await work.commit(`${'m'.repeat(9_999)}\u{1F98A} and more`);
    const author = `${'n'.repeat(254)}\u{1F98A}n`;
    await work.git('commit', '--quiet', '--amend', '--no-edit', '--author', `${author} <a@b.c>`);
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    expect(await lastCommit(project)).toMatchObject({
      message: 'm'.repeat(9_999),
      author: { name: 'n'.repeat(254), email: 'a@b.c' },
    });
    // Bytes that are no UTF-8.
    const raw = await work.git('cat-file', 'commit', 'HEAD');
    const odd = raw.replace(/author n+\S+/u, 'author A\xffda').replace(/m{9999}.*/u, '\ud83e');
    const file = join(work.folder, 'odd');
    await writeFile(file, Buffer.from(odd, 'latin1'));
    const oid = await work.git('hash-object', '-t', 'commit', '-w', '--literally', file);
    expect((await work.push(`${oid}:refs/heads/odd`)).code).toBe(0);
    expect(await lastCommit(project)).toMatchObject({ id: oid, author: { name: 'A\ufffdda' } });
  });
});
