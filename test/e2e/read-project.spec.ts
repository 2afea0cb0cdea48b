import type { Person } from '../support/factories.js';
import { Trellis } from '../support/trellis.js';

describe('GET /projects/:id', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.start();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
  });
  afterAll(() => trellis.stop());

  it('shows private projects to members and administrators only', async () => {
    const project = await trellis.factories.project(owner);
    const path = `/projects/${String(project.id)}`;
    for (const client of [trellis.anonymous, trellis.as(other)]) {
      const answer = await client.get(path).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
    await trellis.as(owner).get(path).expect(200);
    await trellis.as(admin).get(path).expect(200);
  });

  it('shows internal projects to everybody with an account but external users', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 10 });
    const external = await trellis.factories.user({ external: true });
    const path = `/projects/${String(project.id)}`;
    await trellis.anonymous.get(path).expect(404);
    await trellis.as(external).get(path).expect(404);
    const answer = await trellis.as(other).get(path).expect(200);
    expect(answer.body).toMatchObject({
      id: project.id,
      permissions: { project_access: null, group_access: null },
    });
    expect(answer.body).not.toHaveProperty('runners_token');
  });

  it('shows public projects to everybody, without permissions to strangers', async () => {
    const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const path = `/projects/${String(project.id)}`;
    for (const client of [trellis.anonymous, trellis.as({ token: 'no-such-token' })]) {
      const answer = await client.get(path).expect(200);
      expect(answer.body).toMatchObject({ id: project.id, public: true });
      expect(answer.body).not.toHaveProperty('permissions');
      expect(answer.body).not.toHaveProperty('runners_token');
    }
  });

  it('finds a project by number and by encoded path, whatever its case', async () => {
    const project = await trellis.factories.project(owner);
    const encoded = encodeURIComponent(project.fullPath);
    for (const id of [String(project.id), encoded, encoded.toUpperCase(), encoded.toLowerCase()]) {
      const answer = await trellis.as(owner).get(`/projects/${id}`).expect(200);
      expect(answer.body).toMatchObject({
        id: project.id,
        permissions: {
          project_access: { access_level: 40, notification_level: 3 },
          group_access: null,
        },
        runners_token: expect.any(String) as string,
      });
    }
    await trellis
      .as(owner)
      .get(`/projects//${String(project.id)}/`)
      .expect(200);
  });

  it('answers 404 to what names no project', async () => {
    const project = await trellis.factories.project(owner);
    const hostile = [
      '0',
      '999999',
      '2147483648',
      '9223372036854775808',
      '99999999999999999999999999',
      'no-slash',
      encodeURIComponent(`${project.fullPath}/more`),
      encodeURIComponent(encodeURIComponent(project.fullPath)),
      encodeURIComponent("x' OR '1'='1/y"),
      '..%2F..',
      '%2F',
      '-1',
    ];
    for (const id of hostile) {
      const answer = await trellis.as(owner).get(`/projects/${id}`).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
    const unencoded = await trellis.as(owner).get(`/projects/${project.fullPath}`).expect(404);
    expect(unencoded.body).toEqual({ error: '404 Not Found' });
  });
});
