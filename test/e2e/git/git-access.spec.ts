import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

describe('Git over HTTP: access', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  const advertisement = (project: MadeProject, service = 'git-upload-pack') =>
    request(trellis.url).get(`/${project.fullPath}.git/info/refs?service=${service}`);

  it('requires a credential of anonymous users, whether or not the project exists', async () => {
    const { project } = await projects.make();
    const absent = { ...project, fullPath: `${owner.user.username}/absent` };
    for (const asked of [project, absent]) {
      const answer = await advertisement(asked).expect(401);
      expect(answer.headers['www-authenticate']).toBe('Basic realm="Git"');
      expect(answer.text).toBe('HTTP Basic: Access denied');
    }
  });

  it('refuses wrong credentials and blocked accounts, on public projects too', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    const blocked = await trellis.factories.user();
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    await advertisement(project).auth(owner.user.username, 'wrong').expect(401);
    await advertisement(project).auth('oauth2', 'wrong').expect(401);
    await advertisement(project).auth('oauth2', owner.password).expect(401);
    await advertisement(project).auth(other.user.username, owner.password).expect(401);
    for (const login of [blocked.user.username, owner.user.username, 'oauth2']) {
      await advertisement(project).auth(login, blocked.token).expect(401);
    }
    await advertisement(project).expect(200);
  });

  it('accepts the password under user name or e-mail', async () => {
    const { project } = await projects.make();
    for (const login of [owner.user.username, owner.user.email]) {
      await advertisement(project).auth(login, owner.password).expect(200);
      await advertisement(project).auth(login, owner.password).expect(200);
    }
  });

  it('takes the owner of a token for the caller, whatever the user name', async () => {
    const { project } = await projects.make();
    const logins = [owner.user.username, other.user.username, 'oauth2', 'gitlab-ci-token', 'x'];
    for (const login of logins) {
      await advertisement(project).auth(login, owner.token).expect(200);
      await advertisement(project).auth(login, other.token).expect(404);
    }
  });

  it('clones and pushes with a token under the user name `oauth2`, in the name of its owner', async () => {
    const { project } = await projects.make();
    const { user, token, password } = owner;
    const named = { ...user, username: 'oauth2' };
    const work = await projects.checkout(project, { user: named, token, password });
    await work.git('pull', '--quiet', work.remote, 'master');
    await work.commit('By a token');
    expect((await work.push('HEAD:refs/heads/by-token')).code).toBe(0);
    expect(await new PushedRefs(trellis, project).lastEvent()).toMatchObject({
      ref: 'refs/heads/by-token',
      author: user.id,
    });
  });

  it('hides the existence of private projects', async () => {
    const { project } = await projects.make();
    const answer = await advertisement(project).auth(other.user.username, other.token).expect(404);
    expect(answer.text).toBe('Not Found');
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
  });

  it('refuses fetches by guests and pushes by readers', async () => {
    const { project } = await projects.make();
    const member = await trellis.factories.user();
    const add = (level: number) =>
      trellis.rows(
        `INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, $3)
          ON CONFLICT (project_id, user_id) DO UPDATE SET access_level = $3`,
        [project.id, member.user.id, level],
      );
    const as = (service: string) =>
      advertisement(project, service).auth(member.user.username, member.token);
    await add(10);
    const guest = await as('git-upload-pack').expect(403);
    expect(guest.text).toBe('Access denied');
    await add(20);
    await as('git-upload-pack').expect(200);
    await as('git-receive-pack').expect(403);
    await add(30);
    await as('git-receive-pack').expect(200);
    await trellis.rows('UPDATE projects SET archived = true WHERE id = $1', [project.id]);
    await as('git-receive-pack').expect(403);
    await as('git-upload-pack').expect(200);
  });

  it('lets anonymous readers of public projects fetch, not push', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    await advertisement(project).expect(200);
    await advertisement(project, 'git-receive-pack').expect(401);
  });

  it('redirects addresses without .git', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    const path = `/${project.fullPath}/info/refs?service=git-upload-pack`;
    const answer = await request(trellis.url).get(path).expect(301);
    expect(answer.headers['location']).toBe(
      `/${project.fullPath}.git/info/refs?service=git-upload-pack`,
    );
    const upper = project.fullPath.toUpperCase();
    await request(trellis.url).get(`/${upper}.git/info/refs?service=git-upload-pack`).expect(200);
  });

  it('keeps the path of the external address when it adds .git', async () => {
    await trellis.with({ EXTERNAL_URL: 'https://example.com/git/here' }, async () => {
      for (const query of ['?service=git-upload-pack', '?service=git-receive-pack', '']) {
        const answer = await request(trellis.url).get(`/crew/tour/info/refs${query}`).expect(301);
        expect(answer.headers['location']).toBe(`/git/here/crew/tour.git/info/refs${query}`);
      }
    });
  });

  it('never redirects to another host', async () => {
    const location = async (path: string) => {
      const socket = connect(Number(new URL(trellis.url).port), '127.0.0.1');
      socket.end(`GET ${path}/info/refs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      return /^location: (.*)$/im.exec(await text(socket))?.[1]?.trim();
    };
    expect(await location('/\\evil.example/x')).toBe('/%5Cevil.example/x.git/info/refs');
    expect((await location('//evil.example/x')) ?? '/').not.toMatch(/^\/\//);
  });

  it('supports neither the dumb protocol nor other services', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    const get = (path: string) => request(trellis.url).get(`/${project.fullPath}${path}`);
    await get('.git/info/refs').expect(404);
    await get('.git/info/refs?service=git-upload-archive').expect(404);
    await get('.git/HEAD').expect(404);
    await get('.git/objects/info/packs').expect(404);
    await get('.wiki.git/info/refs?service=git-upload-pack').expect(401);
  });
});
