import { ROLES } from '../../support/cast.js';
import { eraseAtOnce } from '../../support/erasure.js';
import type { Person } from '../../support/factories.js';
import { answerOnCode, type FilledCast, makeFilledCast } from '../../support/filled-cast.js';
import { hostileQueries } from '../../support/hostile.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(120_000);

interface StatusBody {
  id: number;
  ref: string;
  name: string;
  status: string;
}

describe('GET /projects/:id/repository/commits/:sha/statuses', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let cast: FilledCast;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    eraseAtOnce(trellis);
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    cast = await makeFilledCast(trellis);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  const pathOf = ({ project, head }: PushedProject, query = '', sha = head) =>
    `/projects/${String(project.id)}/repository/commits/${sha}/statuses${query}`;

  const list = async (of: PushedProject, query = '', sha?: string) =>
    (
      await trellis
        .as(owner)
        .get(pathOf(of, query, sha))
        .expect(200)
    ).body as StatusBody[];

  const post = async (
    { project, head }: PushedProject,
    ref: string,
    name: string,
    state: string,
  ) => {
    const address = `/projects/${String(project.id)}/statuses/${head}`;
    const { body } = await trellis.as(owner).post(address, { ref, name, state }).expect(200);
    return (body as StatusBody).id;
  };

  it('requires a credential, parameters in order, and a commit', async () => {
    await trellis.anonymous.get(pathOf(made)).expect(401);
    for (const [query, error] of [
      ['?all=maybe', 'all is invalid'],
      ['?page=x', 'page is invalid'],
      ['?ref[a]=1', 'ref is invalid'],
      ['?name=%00', 'name is invalid'],
    ] as const) {
      const address = `/projects/2147483647/repository/commits/master/statuses${query}`;
      expect((await trellis.as(owner).get(address).expect(400)).body).toEqual({ error });
    }
    for (const sha of ['absent', 'f'.repeat(40), 'master~', '..%2Fmaster']) {
      const answer = await trellis
        .as(owner)
        .get(pathOf(made, '', sha))
        .expect(404);
      expect(answer.body).toEqual({ message: '404 Commit Not Found' });
    }
  });

  it('requires the right to read code', async () => {
    for (const visibility of [0, 10, 20] as const) {
      const project = String(cast.projects[visibility].id);
      const address = `/projects/${project}/repository/commits/master/statuses`;
      for (const role of ROLES) {
        const person = cast.people[role];
        const client = person === null ? trellis.anonymous : trellis.as(person);
        const { status } = await client.get(address);
        const expected = answerOnCode(role, visibility);
        expect([visibility, role, status]).toEqual([visibility, role, expected]);
      }
    }
  });

  it('lists the newest of each ref and name, oldest first, or all', async () => {
    const of = await projects.make();
    expect(await list(of)).toEqual([]);
    const ids = [
      await post(of, 'master', 'unit', 'failed'),
      await post(of, 'master', 'lint', 'pending'),
      await post(of, 'topic', 'unit', 'success'),
      await post(of, 'master', 'unit', 'success'),
      await post(of, 'master', 'unit', 'running'),
    ];
    await post(of, 'master', 'lint', 'running');
    const idsOf = async (query = '', sha?: string) =>
      (await list(of, query, sha)).map(({ id }) => ids.indexOf(id));
    expect(await idsOf()).toEqual([1, 2, 4]);
    for (const all of ['?all=true', '?all=1', '?all=yes']) {
      expect(await idsOf(all)).toEqual([0, 1, 2, 3, 4]);
    }
    expect(await idsOf('?all=false')).toEqual([1, 2, 4]);
    expect(await idsOf('?ref=master')).toEqual([1, 4]);
    expect(await idsOf('?ref=topic&all=true')).toEqual([2]);
    expect(await idsOf('?name=unit')).toEqual([2, 4]);
    expect(await idsOf('?name=unit&all=true')).toEqual([0, 2, 3, 4]);
    expect(await idsOf('?name=unit&ref=master')).toEqual([4]);
    expect(await idsOf('?stage=external')).toEqual([1, 2, 4]);
    expect(await idsOf('?stage=&ref=&name=')).toEqual([1, 2, 4]);
    for (const nothing of ['?stage=test', '?ref=Master', '?name=uni', '?name=%25']) {
      expect(await idsOf(nothing)).toEqual([]);
    }
    for (const sha of [of.head.slice(0, 7), 'master'])
      expect(await idsOf('', sha)).toEqual([1, 2, 4]);
    const paged = await trellis
      .as(owner)
      .get(pathOf(of, '?all=true&per_page=2&page=2'))
      .expect(200);
    expect((paged.body as StatusBody[]).map(({ id }) => ids.indexOf(id))).toEqual([2, 3]);
    expect(paged.headers).toMatchObject({
      'x-total': '5',
      'x-total-pages': '3',
      'x-next-page': '3',
    });
  });

  it('is limited to the commit and the project', async () => {
    const of = await projects.make();
    await post(of, 'master', 'unit', 'success');
    const second = await of.work.commit('Second');
    await of.work.push('HEAD:refs/heads/master');
    expect(await list(of, '', 'master')).toEqual([]);
    expect(await list(of, '', second)).toEqual([]);
    expect(await list(of)).toHaveLength(1);
    const other = await projects.make();
    await of.work.git('push', '--quiet', other.work.remote, `${of.head}:refs/heads/same`);
    expect(await list(other, '', of.head)).toEqual([]);
  });

  it('takes the same number of statements for any number of statuses', async () => {
    const of = await projects.make();
    await post(of, 'master', 'one', 'success');
    const quiet = await Trellis.start({ because: 'another process', beside: trellis });
    try {
      const page = (size: number) =>
        quiet
          .as(owner)
          .get(pathOf(of, `?per_page=${String(size)}`))
          .expect(200);
      const count = async (size: number) =>
        (await quiet.statements.during(() => page(size))).length;
      await page(1);
      const one = await count(1);
      const authors = await trellis.factories.crowd(60);
      await trellis.rows(
        `INSERT INTO commit_statuses (project_id, sha, ref, name, status, author_id)
         SELECT $1, $2, 'r' || id, 'n', 'success', id FROM unnest($3::int[]) AS id`,
        [of.project.id, of.head, authors],
      );
      expect((await page(100)).body).toHaveLength(61);
      expect(await count(100)).toBeLessThanOrEqual(one);
      expect(one).toBeLessThanOrEqual(12);
    } finally {
      await quiet.stop();
    }
  });

  it('handles hostile filters safely', async () => {
    for (const name of ['ref', 'stage', 'name', 'all']) {
      for (const query of hostileQueries(name)) {
        const { status } = await trellis.as(owner).get(pathOf(made, `?${query}`));
        expect([query, status < 500]).toEqual([query, true]);
      }
    }
  });

  it('shows the ghost user instead of a deleted account, without leftover rows', async () => {
    const admin = await trellis.factories.admin();
    const gone = await trellis.factories.user();
    const of = await projects.make();
    await trellis.factories.addToProject(of.project, gone, 30);
    const address = `/projects/${String(of.project.id)}/statuses/${of.head}`;
    await trellis.as(gone).post(address, { state: 'success' }).expect(200);
    expect(await list(of)).toMatchObject([{ author: summaryOf(trellis, gone) }]);
    await trellis
      .as(admin)
      .delete(`/users/${String(gone.user.id)}`)
      .expect(200);
    expect(await list(of)).toMatchObject([{ author: { username: 'ghost' } }]);
    await eventually(async () => {
      const rows = await trellis.rows('SELECT 1 FROM users WHERE id = $1', [gone.user.id]);
      expect(rows).toEqual([]);
    }, 60_000);
    const rows = await trellis.rows(
      `SELECT u.ghost, s.status FROM commit_statuses s JOIN users u ON u.id = s.author_id
        WHERE s.project_id = $1`,
      [of.project.id],
    );
    expect(rows).toEqual([{ ghost: true, status: 'success' }]);
  });
});
