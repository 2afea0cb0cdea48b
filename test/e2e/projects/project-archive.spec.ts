import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

describe('POST /projects/:id/archive and unarchive', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;
  let admin: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
    admin = await trellis.factories.admin();
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  const pathOf = ({ id }: MadeProject, verb: string) => `/projects/${String(id)}/${verb}`;

  it('require the owner or an administrator', async () => {
    const group = await trellis.factories.group(owner);
    const project = await trellis.factories.project(owner, { namespaceId: group.id });
    for (const verb of ['archive', 'unarchive']) {
      await trellis.anonymous.post(pathOf(project, verb)).expect(401);
      const unseen = await trellis.as(other).post(pathOf(project, verb)).expect(404);
      expect(unseen.body).toEqual({ message: '404 Project Not Found' });
    }
    await trellis.factories.addToProject(project, other, 40);
    const refused = await trellis.as(other).post(pathOf(project, 'archive')).expect(403);
    expect(refused.body).toEqual({ message: '403 Forbidden' });
    await trellis.factories.addToGroup(group, other, 40);
    await trellis.as(other).post(pathOf(project, 'archive')).expect(403);
    const sharedWith = await trellis.factories.group(other);
    await trellis.factories.share(project, sharedWith, 40);
    await trellis.as(other).post(pathOf(project, 'archive')).expect(403);
    await trellis.as(admin).post(pathOf(project, 'archive')).expect(200);
    await trellis.as(owner).post(pathOf(project, 'unarchive')).expect(200);
  });

  it('are idempotent, and return the project', async () => {
    const project = await trellis.factories.project(owner);
    for (const [verb, archived] of [
      ['archive', true],
      ['archive', true],
      ['unarchive', false],
      ['unarchive', false],
    ] as const) {
      const answer = await trellis.as(owner).post(pathOf(project, verb)).expect(200);
      expect(answer.body).toMatchObject({
        id: project.id,
        archived,
        runners_token: expect.stringMatching(/^[\w-]{20}$/),
      });
      expect(answer.body).not.toHaveProperty('permissions');
    }
  });

  it('refuse pushes but allow fetches and changes of settings', async () => {
    const { project, work, head } = await pushed.make();
    await trellis.as(owner).post(pathOf(project, 'archive')).expect(200);
    await work.commit();
    const refused = await work.push('HEAD:refs/heads/master');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('403');
    const remote = await work.git('ls-remote', work.remote, 'refs/heads/master');
    expect(remote).toContain(head);
    const body = { description: 'closed for good' };
    const path = `/projects/${String(project.id)}`;
    const answer = await trellis.as(owner).put(path, body).expect(200);
    expect(answer.body).toMatchObject({ archived: true, ...body });
    await trellis.as(owner).post(pathOf(project, 'unarchive')).expect(200);
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
  });
});
