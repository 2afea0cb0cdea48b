import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { type Person, unique } from '../../support/factories.js';
import { Checkout } from '../../support/checkout.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody {
  id: number;
  path_with_namespace: string;
}

describe('POST /projects/user/:user_id', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  const pathOf = (person: Person) => `/projects/user/${String(person.user.id)}`;

  it('is limited to administrators', async () => {
    await trellis.anonymous.post(pathOf(owner), { name: 'x' }).expect(401);
    const refused = await trellis.as(owner).post(pathOf(owner), {}).expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
  });

  it('returns 400 for missing and malformed parameters', async () => {
    const cases: [string, object, string][] = [
      [pathOf(owner), {}, 'name is missing'],
      [pathOf(owner), { name: 'x', default_branch: ['a'] }, 'default_branch is invalid'],
      ['/projects/user/zoe', { name: 'x' }, 'user_id is invalid'],
    ];
    for (const [path, body, error] of cases) {
      const answer = await trellis.as(admin).post(path, body).expect(400);
      expect(answer.body).toEqual({ error });
    }
  });

  it('returns 404 for unknown users', async () => {
    for (const id of [999_999, 99_999_999_999]) {
      const answer = await trellis
        .as(admin)
        .post(`/projects/user/${String(id)}`, { name: 'x' })
        .expect(404);
      expect(answer.body).toEqual({ message: '404 User Not Found' });
    }
  });

  it('refuses branch names that git refuses', async () => {
    const long = ['is too long (maximum is 255 characters)'];
    const cases: [string, string[]][] = [
      ['a..b', ['is invalid']],
      ['-x', ['is invalid']],
      ['a b', ['is invalid']],
      ['refs/heads/../x', ['is invalid']],
      ['b'.repeat(256), long],
    ];
    for (const [branch, texts] of cases) {
      const body = { name: unique(), default_branch: branch };
      const answer = await trellis.as(admin).post(pathOf(owner), body).expect(400);
      expect(answer.body).toEqual({ message: { default_branch: texts } });
    }
  });

  it('acts as the user: owner, creator, activity, membership', async () => {
    const name = `project-${unique()}`;
    const answer = await trellis
      .as(admin)
      .post(pathOf(owner), { name, issues_enabled: false, visibility_level: 10 })
      .expect(200);
    const { id } = answer.body as ProjectBody;
    expect(answer.body).toMatchObject({
      name,
      creator_id: owner.user.id,
      owner: { id: owner.user.id },
      namespace: { owner_id: owner.user.id },
      path_with_namespace: `${owner.user.username}/${name}`,
      visibility_level: 10,
      issues_enabled: false,
      default_branch: null,
      runners_token: expect.stringMatching(/^[\w-]{20}$/),
    });
    expect(answer.body).not.toHaveProperty('permissions');
    const members = await trellis.rows(
      'SELECT user_id, access_level FROM project_members WHERE project_id = $1',
      [id],
    );
    expect(members).toEqual([{ user_id: owner.user.id, access_level: 40 }]);
    const events = await trellis.rows(
      'SELECT author_id, action FROM events WHERE project_id = $1',
      [id],
    );
    expect(events).toEqual([{ author_id: owner.user.id, action: 'created' }]);
  });

  it('uses the rights of the user', async () => {
    const group = await trellis.factories.group(admin);
    const body = { name: unique(), namespace_id: group.id };
    const refused = await trellis.as(admin).post(pathOf(owner), body).expect(400);
    expect(refused.body).toEqual({ message: { namespace: ['is not valid'] } });
    await trellis.rows(
      "UPDATE application_settings SET restricted_visibility_levels = '{2}'::smallint[]",
    );
    try {
      const open = { name: unique(), visibility_level: 20 };
      const restricted = await trellis.as(admin).post(pathOf(owner), open).expect(400);
      expect(restricted.body).toEqual({
        message: { visibility_level: ['public has been restricted by your administrator'] },
      });
      await trellis.as(admin).post('/projects', open).expect(200);
    } finally {
      await trellis.rows('UPDATE application_settings SET restricted_visibility_levels = NULL');
    }
  });

  it('respects the quota of the user, also concurrently', async () => {
    const limited = await trellis.factories.user({ projectsLimit: 1 });
    const answers = await Promise.all(
      [1, 2, 3].map(() => trellis.as(admin).post(pathOf(limited), { name: unique() })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expect(refused.status).toBe(400);
      expect(refused.body).toEqual({
        message: {
          limit_reached: [
            'Your project limit is 1 projects! Please contact your administrator to increase it',
          ],
        },
      });
    }
  });

  it('makes the named branch the default with the first push', async () => {
    const body = { name: unique(), default_branch: 'trunk/main' };
    const answer = await trellis.as(admin).post(pathOf(owner), body).expect(200);
    const { id, path_with_namespace: fullPath } = answer.body as ProjectBody;
    const storage = trellis.app.get(ProjectStorage);
    const { refs } = storage.repository({ id, storage: 'default' });
    expect(await refs.head()).toBe('trunk/main');
    const work = await Checkout.create(trellis, { id, path: body.name, fullPath }, owner);
    try {
      await work.commit();
      const pushed = await work.push('HEAD:refs/heads/master', 'HEAD:refs/heads/trunk/main');
      expect(pushed.code).toBe(0);
    } finally {
      await work.remove();
    }
    const read = await trellis
      .as(owner)
      .get(`/projects/${String(id)}`)
      .expect(200);
    expect(read.body).toMatchObject({ default_branch: 'trunk/main' });
    expect(await refs.head()).toBe('trunk/main');
  });
});
