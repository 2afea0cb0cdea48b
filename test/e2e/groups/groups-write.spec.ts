import { type Person, unique } from '../../support/factories.js';
import { REFUSED_GROUPS, TAKEN } from '../../support/refused-groups.js';
import { Trellis } from '../../support/trellis.js';

interface GroupBody {
  id: number;
  name: string;
  path: string;
}

describe('POST /groups', () => {
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

  const texts = () => ({ name: `Name ${unique()}`, path: `path-${unique()}` });

  async function during(settings: string, work: () => Promise<void>): Promise<void> {
    await trellis.rows(`UPDATE application_settings SET ${settings}`);
    try {
      await work();
    } finally {
      await trellis.rows(
        'UPDATE application_settings SET restricted_visibility_levels = NULL, default_group_visibility = NULL',
      );
    }
  }

  it('requires a credential', async () => {
    await trellis.anonymous.post('/groups', texts()).expect(401);
  });

  it('returns 400 for missing and malformed parameters', async () => {
    const cases: [object, string][] = [
      [{}, 'name is missing, path is missing'],
      [{ name: 'x' }, 'path is missing'],
      [{ path: 'x', name: null }, 'name is missing'],
      [{ ...texts(), name: ['x'] }, 'name is invalid'],
      [{ ...texts(), path: { x: 1 } }, 'path is invalid'],
      [{ ...texts(), path: 'a\0b' }, 'path is invalid'],
      [{ ...texts(), description: [] }, 'description is invalid'],
      [{ ...texts(), visibility_level: 5 }, 'visibility_level does not have a valid value'],
      [{ ...texts(), visibility_level: 'public' }, 'visibility_level is invalid'],
      [{ ...texts(), lfs_enabled: 'perhaps' }, 'lfs_enabled is invalid'],
      [{ ...texts(), request_access_enabled: 7 }, 'request_access_enabled is invalid'],
    ];
    for (const [body, error] of cases) {
      const answer = await trellis.as(owner).post('/groups', body).expect(400);
      expect([body, answer.body]).toEqual([body, { error }]);
    }
  });

  it('requires the right to create groups', async () => {
    const barred = await trellis.factories.user({ canCreateGroup: false });
    const external = await trellis.factories.user({ external: true });
    for (const person of [barred, external]) {
      const answer = await trellis.as(person).post('/groups', texts()).expect(403);
      expect(answer.body).toEqual({ message: '403 Forbidden' });
    }
    const barredAdmin = await trellis.factories.user({ admin: true, canCreateGroup: false });
    await trellis.as(barredAdmin).post('/groups', texts()).expect(200);
  });

  it('returns errors by field', async () => {
    for (const [wrong, message] of REFUSED_GROUPS) {
      const body = { ...texts(), ...wrong };
      const answer = await trellis.as(owner).post('/groups', body).expect(400);
      expect([wrong, answer.body]).toEqual([wrong, { message }]);
    }
  });

  it('creates a group with its defaults, owned by the caller', async () => {
    const given = texts();
    const answer = await trellis.as(owner).post('/groups', given).expect(200);
    const { id } = answer.body as GroupBody;
    expect(answer.body).toEqual({
      id,
      ...given,
      description: '',
      visibility_level: 20,
      lfs_enabled: true,
      avatar_url: null,
      web_url: `${trellis.url}/groups/${given.path}`,
      request_access_enabled: false,
    });
    const members = await trellis.rows(
      `SELECT user_id, access_level, expires_at, notification_level FROM group_members
        WHERE group_id = $1`,
      [id],
    );
    expect(members).toEqual([
      { user_id: owner.user.id, access_level: 50, expires_at: null, notification_level: 3 },
    ]);
    const [row] = await trellis.rows('SELECT owner_id, deleted_at FROM namespaces WHERE id = $1', [
      id,
    ]);
    expect(row).toEqual({ owner_id: null, deleted_at: null });
  });

  it('accepts every parameter, from JSON as well as from forms', async () => {
    const given = {
      name: `Ünïcode_Gröup 1.0 - – — ${unique()}`,
      path: `_Given.Path-${unique()}`,
      description: 'What it is for',
      visibility_level: 10,
      lfs_enabled: false,
      request_access_enabled: true,
    };
    const answer = await trellis.as(owner).post('/groups', given).expect(200);
    expect(answer.body).toMatchObject(given);
    const form = await trellis
      .as(owner)
      .call('post', '/groups')
      .type('form')
      .send({ ...texts(), visibility_level: '0', lfs_enabled: 'no', description: '' })
      .expect(200);
    expect(form.body).toMatchObject({ visibility_level: 0, lfs_enabled: false, description: '' });
  });

  it('refuses names of other groups and paths of groups and users, case-insensitively', async () => {
    const taken = texts();
    await trellis.as(owner).post('/groups', taken).expect(200);
    const { username } = other.user;
    const cases: [object, object][] = [
      [taken, { name: TAKEN, path: TAKEN }],
      [{ ...texts(), path: taken.path.toUpperCase() }, { path: TAKEN }],
      [{ ...texts(), name: taken.name }, { name: TAKEN }],
      [{ ...texts(), path: username.toUpperCase() }, { path: TAKEN }],
    ];
    for (const [body, message] of cases) {
      const answer = await trellis.as(other).post('/groups', body).expect(400);
      expect([body, answer.body]).toEqual([body, { message }]);
    }
    await trellis
      .as(owner)
      .post('/groups', { ...texts(), name: username })
      .expect(200);
  });

  it('assigns a path and a name once for concurrent requests', async () => {
    const { name, path } = texts();
    const samePath = await Promise.all(
      Array.from({ length: 6 }, () => trellis.as(owner).post('/groups', { ...texts(), path })),
    );
    const sameName = await Promise.all(
      Array.from({ length: 6 }, () => trellis.as(owner).post('/groups', { ...texts(), name })),
    );
    for (const [answers, message] of [
      [samePath, { path: TAKEN }],
      [sameName, { name: TAKEN }],
    ] as const) {
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ status, body }) => ({ status, body }))).toEqual(
        refused.map(() => ({ status: 400, body: { message } })),
      );
    }
    const rows = await trellis.rows(
      `SELECT g.id FROM namespaces g LEFT JOIN group_members m ON m.group_id = g.id
        WHERE (g.path = $1 OR g.name = $2) AND m.user_id IS NULL`,
      [path, name],
    );
    expect(rows).toEqual([]);
  });

  it('assigns a path to a group or to a user, not to both', async () => {
    for (let round = 0; round < 4; round += 1) {
      const path = `shared-${unique()}`;
      const user = {
        username: path,
        name: 'N',
        email: `${path}@example.com`,
        password: 'p'.repeat(8),
      };
      const [asGroup, asUser] = await Promise.all([
        trellis.as(owner).post('/groups', { ...texts(), path }),
        trellis.as(admin).post('/users', user),
      ]);
      const made = [asGroup, asUser].filter(({ status }) => status < 300);
      expect(made).toHaveLength(1);
      if (made[0] === asGroup) expect(asUser.status).toBe(409);
      else expect([asGroup.status, asGroup.body]).toEqual([400, { message: { path: TAKEN } }]);
      const rows = await trellis.rows('SELECT 1 FROM namespaces WHERE path = $1', [path]);
      expect(rows).toHaveLength(1);
    }
  });

  it('leaves no group without an owner when its creator is deleted concurrently', async () => {
    for (let round = 0; round < 4; round += 1) {
      const person = await trellis.factories.user();
      const [made, removed] = await Promise.all([
        trellis.as(person).post('/groups', texts()),
        trellis.as(admin).delete(`/users/${String(person.user.id)}`),
      ]);
      expect([200, 401]).toContain(made.status);
      expect(removed.status).toBe(200);
      const living = await trellis.rows(
        'SELECT 1 FROM users WHERE id = $1 AND deleted_at IS NULL',
        [person.user.id],
      );
      expect(living).toHaveLength(made.status === 200 ? 1 : 0);
    }
  });

  it('reserves restricted levels for administrators', () =>
    during("restricted_visibility_levels = '{2,0}'", async () => {
      const body = () => ({ ...texts(), visibility_level: 20 });
      const answer = await trellis.as(owner).post('/groups', body()).expect(400);
      const text = 'public has been restricted by your administrator';
      expect(answer.body).toEqual({ message: { visibility_level: [text] } });
      await trellis.as(admin).post('/groups', body()).expect(200);
      const lowered = await trellis.as(owner).post('/groups', texts()).expect(200);
      expect(lowered.body).toMatchObject({ visibility_level: 10 });
      const byAdmin = await trellis.as(admin).post('/groups', texts()).expect(200);
      expect(byAdmin.body).toMatchObject({ visibility_level: 20 });
    }));

  it('uses the default visibility of the settings, lowered to an unrestricted level', async () => {
    await during('default_group_visibility = 1', async () => {
      const answer = await trellis.as(owner).post('/groups', texts()).expect(200);
      expect(answer.body).toMatchObject({ visibility_level: 10 });
    });
    const both = "default_group_visibility = 1, restricted_visibility_levels = '{1}'";
    await during(both, async () => {
      const answer = await trellis.as(owner).post('/groups', texts()).expect(200);
      expect(answer.body).toMatchObject({ visibility_level: 0 });
    });
  });
});
