import type { MadeGroup, Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

const NO_ROUTE = { error: '404 Not Found' };
const VERBS = ['get', 'post', 'put', 'delete'] as const;

/** What the original interface has and this one has not. */
describe('paths without a route', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    group = await trellis.factories.group(owner);
  });
  afterAll(() => projects.remove());

  const inProject = (rest: string): string => `/projects/${String(made.project.id)}/${rest}`;

  it('return 404 to every caller', async () => {
    const ofProjects = [
      'access_requests',
      'access_requests/1/approve',
      'boards',
      'boards/1/lists/1',
      'builds',
      'builds/1/trace',
      'builds/artifacts/master/download',
      'deployments',
      'environments',
      'environments/1',
      'notification_settings',
      'pipelines',
      'runners',
      'runners/1',
      'services/jenkins',
      'snippets',
      'snippets/1/raw',
      'trigger/builds',
      'triggers',
      'variables',
      'variables/KEY',
      'wikis',
      'wikis/home',
    ];
    const paths = [
      ...ofProjects.map(inProject),
      `/groups/${String(group.id)}/access_requests`,
      `/groups/${String(group.id)}/notification_settings`,
      '/broadcast_messages',
      '/broadcast_messages/1',
      '/gitignores',
      '/licenses/mit',
      '/notification_settings',
      '/oauth/token',
      '/personal_access_tokens',
      '/runners',
      '/runners/all',
      '/snippets',
      '/snippets/public',
      '/templates/gitignores/Go',
      `/users/${String(owner.user.id)}/impersonation_tokens`,
    ];
    for (const path of paths) {
      for (const client of [trellis.anonymous, trellis.as(owner)]) {
        for (const verb of VERBS) {
          const { status, body } = await client.call(verb, path);
          expect({ verb, path, status, body }).toEqual({ verb, path, status: 404, body: NO_ROUTE });
        }
      }
    }
  });

  it('are the builds of a commit, whose name ends before them', async () => {
    const names = [
      made.head,
      made.head.slice(0, 8),
      'master',
      'absent',
      'topic%2Fa',
      'topic/a',
      'topic/a/b',
    ];
    const paths = names.flatMap((name) =>
      ['', '.json'].map((suffix) => inProject(`repository/commits/${name}/builds${suffix}`)),
    );
    for (const path of paths) {
      for (const client of [trellis.anonymous, trellis.as(owner)]) {
        for (const verb of VERBS) {
          const { status, body } = await client.call(verb, path);
          expect({ verb, path, status, body }).toEqual({ verb, path, status: 404, body: NO_ROUTE });
        }
      }
    }
    const elsewhere = await trellis
      .as(owner)
      .get('/projects/2000000000/repository/commits/a/builds');
    expect([elsewhere.status, elsewhere.body]).toEqual([404, NO_ROUTE]);
  });

  it('are those of users who are named by anything but a number', async () => {
    const id = String(owner.user.id);
    const names = ['ASDF', owner.user.username, `${id}x`, `-${id}`, '1.5', '%31x', `${id}%20`];
    const rests = [
      '',
      '/emails',
      '/emails/1',
      '/keys',
      '/keys/1',
      '/block',
      '/events',
      '/elsewhere',
    ];
    for (const path of names.flatMap((name) => rests.map((rest) => `/users/${name}${rest}`))) {
      for (const client of [trellis.anonymous, trellis.as(owner), trellis.as(admin)]) {
        for (const verb of VERBS) {
          const { status, body } = await client.call(verb, path);
          expect({ verb, path, status, body }).toEqual({ verb, path, status: 404, body: NO_ROUTE });
        }
      }
    }
    const escaped = [...id].map((digit) => `%3${digit}`).join('');
    for (const number of [id, escaped]) {
      await trellis.as(owner).get(`/users/${number}`).expect(200);
      await trellis.as(owner).call('post', `/users/${number}`).expect(405);
    }
    await trellis.as(owner).get('/users/').expect(200);
    await trellis.as(admin).get('/keys/ASDF').expect(400);
    await trellis.as(owner).call('post', '/groups/ASDF').expect(405);
  });

  it('leave the commit of a branch that is called so to an encoded name', async () => {
    const branch = { branch_name: 'topic/builds', ref: 'master' };
    await trellis.as(owner).post(inProject('repository/branches'), branch).expect(200);
    const path = inProject('repository/commits/topic%2Fbuilds');
    const answer = await trellis.as(owner).get(path).expect(200);
    expect(answer.body).toMatchObject({ id: made.head });
    const absent = await trellis.as(owner).get(inProject('repository/commits/absent')).expect(404);
    expect(absent.body).toEqual({ message: '404 Commit Not Found' });
  });
});
