import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

describe('merged branches', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.restore();
  });

  async function make() {
    const made = await pushed.make();
    const id = String(made.project.id);
    const url = `/projects/${id}/repository/merged_branches`;
    return { ...made, id, url, refs: new PushedRefs(trellis, made.project) };
  }

  it('are deleted by developers, except in archived projects', async () => {
    const { project, id, url } = await make();
    await trellis.anonymous.delete(url).expect(401);
    const stranger = await trellis.factories.user();
    await trellis.as(stranger).delete(url).expect(404, { message: '404 Project Not Found' });
    const reporter = await memberOf(trellis, project, 20);
    await trellis.as(reporter).delete(url).expect(403, { message: '403 Forbidden' });
    await trellis.as(owner).post(`/projects/${id}/archive`).expect(200);
    await trellis.as(owner).delete(url).expect(403);
  });

  it('are deleted in the background; unmerged, protected and default ones stay', async () => {
    const { project, id, url, refs, work } = await make();
    const developer = await memberOf(trellis, project, 30);
    await work.commit('Onwards');
    await work.push('HEAD:refs/heads/master', 'HEAD:refs/heads/kept', 'HEAD~1:refs/heads/old/one');
    await work.push(
      ...Array.from({ length: 60 }, (_, index) => `HEAD:refs/heads/m-${String(index)}`),
    );
    await work.commit('Apart');
    await work.push('HEAD:refs/heads/apart');
    await trellis.as(owner).put(`/projects/${id}/repository/branches/kept/protect`).expect(200);
    const answer = await trellis.as(developer).delete(url).expect(200);
    expect(answer.body).toEqual({});
    await until(async () => (await refs.all()).length <= 3);
    expect(await refs.all()).toEqual(['refs/heads/apart', 'refs/heads/kept', 'refs/heads/master']);
    await until(async () => (await refs.intents()).length === 0);
    const deleted = (await refs.events()).filter(({ action }) => action === 'deleted');
    expect(deleted).toHaveLength(61);
    expect(new Set(deleted.map(({ author }) => author))).toEqual(new Set([developer.user.id]));
    await refs.expectSound();
  });
});
