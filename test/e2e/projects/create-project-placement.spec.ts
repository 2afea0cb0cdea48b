import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface ProjectBody {
  id: number;
}

describe('POST /projects, in namespaces', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
  });

  it('refuses namespaces of others, and ones that do not exist', async () => {
    const [namespace] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [owner.user.id],
    );
    for (const id of [namespace?.id, 999_999, 99_999_999_999]) {
      const body = { name: unique(), namespace_id: id };
      const answer = await trellis.as(other).post('/projects', body).expect(400);
      expect(answer.body).toEqual({ message: { namespace: ['is not valid'] } });
    }
    const made = await trellis
      .as(admin)
      .post('/projects', { name: unique(), namespace_id: namespace?.id })
      .expect(200);
    expect(made.body).toMatchObject({ namespace: { id: namespace?.id } });
  });

  it('requires a valid master or owner membership of the group', async () => {
    const group = await trellis.factories.group(owner);
    const body = () => ({ name: unique(), namespace_id: group.id });
    const today = new Date().toISOString().slice(0, 10);
    const standings: [number, string | null, number][] = [
      [30, null, 400],
      [40, today, 400],
      [40, null, 200],
      [50, null, 200],
    ];
    for (const [level, expiresAt, status] of standings) {
      const person = await trellis.factories.user({ projectsLimit: 0 });
      await trellis.factories.addToGroup(group, person, level, expiresAt);
      const answer = await trellis.as(person).post('/projects', body()).expect(status);
      if (status === 400) {
        expect(answer.body).toEqual({ message: { namespace: ['is not valid'] } });
        continue;
      }
      expect(answer.body).toMatchObject({
        creator_id: person.user.id,
        namespace: { id: group.id, owner_id: null },
        name_with_namespace: expect.stringContaining(`${group.name} / `),
        runners_token: expect.any(String),
      });
      expect(answer.body).not.toHaveProperty('owner');
      const members = await trellis.rows('SELECT 1 FROM project_members WHERE project_id = $1', [
        (answer.body as ProjectBody).id,
      ]);
      expect(members).toEqual([]);
    }
  });

  it('makes the creator in another user’s namespace a master of the project', async () => {
    const [namespace] = await trellis.rows<{ id: number }>(
      'SELECT id FROM namespaces WHERE owner_id = $1',
      [other.user.id],
    );
    const body = { name: unique(), namespace_id: namespace?.id };
    const answer = await trellis.as(admin).post('/projects', body).expect(200);
    const { id } = answer.body as ProjectBody;
    expect(answer.body).toMatchObject({
      creator_id: admin.user.id,
      owner: { id: other.user.id },
    });
    const members = await trellis.rows(
      'SELECT user_id, access_level FROM project_members WHERE project_id = $1',
      [id],
    );
    expect(members).toEqual([{ user_id: admin.user.id, access_level: 40 }]);
    const events = await trellis.rows(
      'SELECT action FROM events WHERE project_id = $1 ORDER BY id',
      [id],
    );
    expect(events).toEqual([{ action: 'created' }, { action: 'joined' }]);
  });

  it('refuses external users in their own namespaces', async () => {
    const external = await trellis.factories.user({ external: true });
    await trellis.as(external).post('/projects', { name: unique() }).expect(403);
    const group = await trellis.factories.group(owner);
    await trellis.factories.addToGroup(group, external, 40);
    const body = { name: unique(), namespace_id: group.id };
    await trellis.as(external).post('/projects', body).expect(200);
  });

  it('respects the quota, also for concurrent requests', async () => {
    const limited = await trellis.factories.user({ projectsLimit: 2 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => trellis.as(limited).post('/projects', { name: unique() })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(4);
    expect(refused[0]?.body).toEqual({
      error: ['Your project limit is 2 projects! Please contact your administrator to increase it'],
    });
    const none = await trellis.factories.user({ projectsLimit: 0 });
    const answer = await trellis.as(none).post('/projects', { name: unique() }).expect(403);
    expect(answer.body).toEqual({
      error: [
        'Personal project creation is not allowed. Please contact your administrator with questions',
      ],
    });
  });

  it('uses the current default visibility of the settings', async () => {
    await trellis.rows('UPDATE application_settings SET default_project_visibility = 1');
    try {
      const answer = await trellis.as(owner).post('/projects', { name: unique() }).expect(200);
      expect(answer.body).toMatchObject({ visibility_level: 10 });
    } finally {
      await trellis.rows('UPDATE application_settings SET default_project_visibility = 0');
    }
  });

  it('limits visibility to that of the group and unrestricted levels', async () => {
    const group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const make = (body: object) =>
      trellis.as(owner).post('/projects', { name: unique(), namespace_id: group.id, ...body });
    for (const [level, name] of [
      [10, 'internal'],
      [20, 'public'],
    ] as const) {
      const refused = await make({ visibility_level: level }).expect(400);
      expect(refused.body).toEqual({
        message: { visibility_level: [`${name} is not allowed in a private group.`] },
      });
    }
    await trellis.rows('UPDATE application_settings SET default_project_visibility = 2');
    await trellis.rows(
      "UPDATE application_settings SET restricted_visibility_levels = '{2}'::smallint[]",
    );
    try {
      expect((await make({}).expect(200)).body).toMatchObject({ visibility_level: 0 });
      const both = await make({ public: true }).expect(400);
      expect(both.body).toEqual({
        message: {
          visibility_level: [
            'public has been restricted by your administrator',
            'public is not allowed in a private group.',
          ],
        },
      });
      const personal = (person: Person, body: object) =>
        trellis.as(person).post('/projects', { name: unique(), ...body });
      const restricted = await personal(owner, { visibility_level: 20 }).expect(400);
      expect(restricted.body).toEqual({
        message: { visibility_level: ['public has been restricted by your administrator'] },
      });
      expect((await personal(owner, {}).expect(200)).body).toMatchObject({ visibility_level: 10 });
      expect((await personal(admin, {}).expect(200)).body).toMatchObject({ visibility_level: 20 });
      await personal(admin, { visibility_level: 20 }).expect(200);
    } finally {
      await trellis.rows(
        `UPDATE application_settings
            SET restricted_visibility_levels = NULL, default_project_visibility = 0`,
      );
    }
  });

  it('reserves the path of the wiki of a project', async () => {
    const { path } = await trellis.factories.project(owner);
    const body = { name: unique(), path: `${path.toUpperCase()}.wiki` };
    const refused = await trellis.as(owner).post('/projects', body).expect(400);
    expect(refused.body).toEqual({ message: { path: ['has already been taken'] } });
    await trellis.as(other).post('/projects', body).expect(200);
  });
});
