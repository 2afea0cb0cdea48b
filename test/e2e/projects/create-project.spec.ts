import { access } from 'node:fs/promises';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { type Person, unique } from '../../support/factories.js';
import { untilWaitedFor } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

const TAKEN = { message: { name: ['has already been taken'], path: ['has already been taken'] } };

interface ProjectBody {
  id: number;
}

describe('POST /projects', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
  });

  it('requires a credential', async () => {
    await trellis.anonymous.post('/projects', { name: 'x' }).expect(401);
  });

  it('returns 400 for missing and malformed parameters', async () => {
    const asOwner = trellis.as(owner);
    const cases: [object, string][] = [
      [{}, 'name is missing'],
      [{ name: null }, 'name is missing'],
      [{ name: { a: 1 } }, 'name is invalid'],
      [{ name: 'x', issues_enabled: 'perhaps' }, 'issues_enabled is invalid'],
      [{ name: 'x', visibility_level: 5 }, 'visibility_level does not have a valid value'],
      [{ name: 'x', namespace_id: 'mine' }, 'namespace_id is invalid'],
      [{ name: 'a\0b' }, 'name is invalid'],
    ];
    for (const [body, error] of cases) {
      const answer = await asOwner.post('/projects', body).expect(400);
      expect(answer.body).toEqual({ error });
    }
  });

  it('returns errors by field for invalid names and paths', async () => {
    const cases: [object, Record<string, unknown>][] = [
      [{ name: ' ' }, { name: ["can't be blank"], path: ["can't be blank"] }],
      [{ name: '-x', path: 'ok-path' }, { name: [expect.stringContaining('can contain only')] }],
      [{ name: 'x', path: 'a b' }, { path: [expect.stringContaining('can contain only')] }],
      [{ name: 'x', path: '..' }, { path: [expect.stringContaining('can contain only')] }],
      [{ name: 'x', path: 'a.git' }, { path: [expect.stringContaining('can contain only')] }],
      [{ name: 'x', path: 'a.Git' }, { path: [expect.stringContaining('can contain only')] }],
      [{ name: 'x', path: 'Blob' }, { path: ['Blob is a reserved name'] }],
      [{ name: 'x', path: 'tree' }, { path: ['tree is a reserved name'] }],
      [{ name: 'n'.repeat(256), path: 'p' }, { name: ['is too long (maximum is 255 characters)'] }],
      [{ name: 'x', path: 'p'.repeat(256) }, { path: ['is too long (maximum is 255 characters)'] }],
      [
        { name: 'x', description: 'd'.repeat(2001) },
        { description: ['is too long (maximum is 2000 characters)'] },
      ],
      [{ name: '!!!', path: 'ok' }, { name: [expect.stringContaining('can contain only')] }],
    ];
    for (const [body, message] of cases) {
      const answer = await trellis.as(owner).post('/projects', body).expect(400);
      expect(answer.body).toEqual({ message });
    }
  });

  it('creates the project with every documented field, and its repository', async () => {
    const name = `Ünïcode Prøject ${unique()}`;
    const answer = await trellis.as(owner).post('/projects', { name }).expect(200);
    const body = answer.body as ProjectBody;
    const path = name.toLowerCase().replace('ünïcode prøject ', 'unicode-project-');
    const fullPath = `${owner.user.username}/${path}`;
    const [row] = await trellis.rows<Record<string, Date>>('SELECT * FROM projects WHERE id = $1', [
      body.id,
    ]);
    expect(body).toEqual({
      id: body.id,
      name,
      path,
      description: null,
      name_with_namespace: `${owner.user.name} / ${name}`,
      path_with_namespace: fullPath,
      default_branch: null,
      tag_list: [],
      public: false,
      archived: false,
      visibility_level: 0,
      ssh_url_to_repo: `ssh://git@localhost:2222/${fullPath}.git`,
      http_url_to_repo: `${trellis.url}/${fullPath}.git`,
      web_url: `${trellis.url}/${fullPath}`,
      issues_enabled: true,
      merge_requests_enabled: true,
      wiki_enabled: true,
      builds_enabled: true,
      snippets_enabled: false,
      container_registry_enabled: true,
      shared_runners_enabled: true,
      public_builds: true,
      lfs_enabled: true,
      created_at: row?.['created_at']?.toISOString(),
      last_activity_at: row?.['last_activity_at']?.toISOString(),
      creator_id: owner.user.id,
      owner: {
        id: owner.user.id,
        name: owner.user.name,
        username: owner.user.username,
        state: 'active',
        avatar_url: expect.any(String),
        web_url: `${trellis.url}/${owner.user.username}`,
        created_at: owner.user.createdAt.toISOString(),
      },
      namespace: {
        id: row?.['namespace_id'],
        name: owner.user.username,
        path: owner.user.username,
        owner_id: owner.user.id,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        description: '',
        avatar: { url: null },
        share_with_group_lock: false,
        visibility_level: 20,
      },
      avatar_url: null,
      star_count: 0,
      forks_count: 0,
      open_issues_count: 0,
      shared_with_groups: [],
      runners_token: expect.stringMatching(/^[\w-]{20}$/),
      only_allow_merge_if_build_succeeds: false,
      only_allow_merge_if_all_discussions_are_resolved: false,
      request_access_enabled: false,
    });
    const storage = trellis.app.get(ProjectStorage);
    const repository = storage.repository({ id: body.id, storage: 'default' });
    expect(await repository.isEmpty()).toBe(true);
    expect(repository.path.startsWith(`${trellis.dataDir}/repositories/@hashed/`)).toBe(true);
  });

  it('accepts every parameter', async () => {
    const given = {
      path: `Given.Path-${unique()}`,
      description: 'What it is for',
      issues_enabled: false,
      merge_requests_enabled: false,
      builds_enabled: false,
      wiki_enabled: false,
      snippets_enabled: true,
      container_registry_enabled: false,
      shared_runners_enabled: false,
      visibility_level: 10,
      public_builds: false,
      only_allow_merge_if_build_succeeds: true,
      only_allow_merge_if_all_discussions_are_resolved: true,
      lfs_enabled: false,
      request_access_enabled: true,
    };
    const name = unique();
    const answer = await trellis
      .as(owner)
      .post('/projects', { name, ...given })
      .expect(200);
    expect(answer.body).toMatchObject({ name, ...given, public: false });
    expect(answer.body).not.toHaveProperty('open_issues_count');
  });

  it('accepts `public`, which `visibility_level` overrides', async () => {
    const asOwner = trellis.as(owner);
    const make = (body: object) => asOwner.post('/projects', { name: unique(), ...body });
    expect((await make({ public: 'true' })).body).toMatchObject({ visibility_level: 20 });
    expect((await make({ public: '0' })).body).toMatchObject({ visibility_level: 0 });
    expect((await make({ public: true, visibility_level: 10 })).body).toMatchObject({
      visibility_level: 10,
      public: false,
    });
  });

  it('starts an import from another server, and refuses invalid addresses', async () => {
    for (const url of [
      'nowhere',
      'ftp://example.com/a.git',
      'http://127.0.0.1/a.git',
      'file:///x',
    ]) {
      const body = { name: unique(), import_url: url };
      const answer = await trellis.as(owner).post('/projects', body).expect(400);
      expect(answer.body).toEqual({ message: { import_url: ['is not a valid URL'] } });
    }
    const body = { name: unique(), import_url: 'https://joe:s3cret@git.example.com/a/b.git' };
    const answer = await trellis.as(owner).post('/projects', body).expect(200);
    expect(JSON.stringify(answer.body)).not.toContain('s3cret');
    const { id } = answer.body as ProjectBody;
    const [row] = await trellis.rows<{ stored: string; action: string }>(
      `SELECT row_to_json(i)::text AS stored, e.action
         FROM project_imports i JOIN events e ON e.project_id = i.project_id
        WHERE i.project_id = $1`,
      [id],
    );
    expect(row?.action).toBe('imported');
    expect(row?.stored).toContain('https://git.example.com/a/b.git');
    expect(row?.stored).not.toContain('s3cret');
  });

  it('accepts form fields as well as JSON', async () => {
    const name = unique();
    const answer = await trellis
      .as(owner)
      .call('post', '/projects')
      .type('form')
      .send({ name, issues_enabled: 'no' })
      .expect(200);
    expect(answer.body).toMatchObject({ name, issues_enabled: false });
  });

  it('assigns a name or path in a namespace once, case-insensitively, also concurrently', async () => {
    const name = unique();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => trellis.as(owner).post('/projects', { name })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expect(refused.status).toBe(400);
      expect(refused.body).toEqual(TAKEN);
    }
    const path = name.toUpperCase();
    const again = await trellis.as(owner).post('/projects', { name: 'other', path }).expect(400);
    expect(again.body).toEqual({ message: { path: TAKEN.message.path } });
    const named = { name, path: `free-${unique()}` };
    const alone = await trellis.as(owner).post('/projects', named).expect(400);
    expect(alone.body).toEqual({ message: { name: TAKEN.message.name } });
    const both = await trellis.as(owner).post('/projects', { name, path: name }).expect(400);
    expect(both.body).toEqual(TAKEN);
    const worse = await trellis.as(owner).post('/projects', { name, path: '-a' }).expect(400);
    expect(worse.body).toMatchObject({
      message: { name: TAKEN.message.name, path: [expect.stringMatching(/^can contain only/)] },
    });
    await trellis.as(other).post('/projects', { name }).expect(200);
  });

  it.each(['name', 'path'] as const)(
    'names only the %s when the unique index reports the conflict',
    async (field) => {
      const rival = await trellis.factories.project(owner);
      const wanted = { name: unique(), path: unique() };
      const runner = trellis.dataSource.createQueryRunner();
      await runner.startTransaction();
      try {
        const rename = `UPDATE projects SET ${field} = $2 WHERE id = $1`;
        await runner.query(rename, [rival.id, wanted[field]]);
        const asked = trellis.as(owner).post('/projects', wanted).expect(400);
        const answered = asked.then(({ body }) => body as unknown);
        await untilWaitedFor(trellis, runner);
        await runner.commitTransaction();
        expect(await answered).toEqual({ message: { [field]: TAKEN.message[field] } });
      } finally {
        if (runner.isTransactionActive) await runner.rollbackTransaction();
        await runner.release();
      }
    },
  );

  it('leaves no repository behind after a failure', async () => {
    const taken = await trellis.factories.project(owner);
    await trellis.as(owner).post('/projects', { name: unique(), path: taken.path }).expect(400);
    const [{ next } = { next: 0 }] = await trellis.rows<{ next: number }>(
      'SELECT max(id) AS next FROM projects',
    );
    const storage = trellis.app.get(ProjectStorage);
    const folder = storage.path({ id: next + 1, storage: 'default' });
    await expect(access(folder)).rejects.toThrow('ENOENT');
  });
});
