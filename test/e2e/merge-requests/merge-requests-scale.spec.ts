import { CheckMergeabilityJob } from '../../../src/modules/merge-requests/versions/check-mergeability.job.js';
import { BranchWork } from '../../support/branch-work.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { mergeRequestsOf, pathOf } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const REQUESTS = 200;
const RUN = { jobId: '1', attempt: 1, signal: new AbortController().signal };

/** What many open merge requests cost those who list them: nothing is found out for them. */
describe('two hundred open merge requests', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let project: MadeProject;
  let ids: number[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    const begun = await BranchWork.begin(trellis, owner, projects);
    const { branches, head } = begun;
    ({ project } = begun);
    const fine = await branches.commit('fine', head, 'another.txt');
    const conflicting = await branches.commit('conflicting', head, 'file.txt');
    await branches.commit('master', head, 'file.txt');
    const heads = Array.from({ length: REQUESTS }, (_, at) => (at % 2 === 0 ? fine : conflicting));
    await branches.push(...heads.map((oid, at) => `${oid}:refs/heads/topic/${String(at + 1)}`));
    ids = await addMergeRequests(
      trellis,
      project,
      heads.map((headSha) => ({ authorId: owner.user.id, headSha })),
    );
  });
  afterAll(() => projects.remove());

  const list = async (query: string) => {
    const { body } = await trellis
      .as(owner)
      .get(`${mergeRequestsOf(project)}?${query}`)
      .expect(200);
    return body as { id: number; merge_status: string }[];
  };
  const statuses = async () => {
    const rows = await trellis.rows<{ id: number; merge_status: string }>(
      'SELECT id, merge_status FROM merge_requests WHERE project_id = $1 ORDER BY id',
      [project.id],
    );
    return rows.map((row) => row.merge_status);
  };
  const unknown = Array<string>(REQUESTS).fill('unchecked');

  it('are listed without calls of git and without writes', async () => {
    const spawned = trellis.git.spawnCount;
    for (const query of ['', '&state=opened', '&order_by=updated_at&sort=asc']) {
      let few: unknown[] = [];
      const forFew = await trellis.statements.during(async () => {
        few = await list(`per_page=1${query}`);
      });
      const listed: { id: number; merge_status: string }[] = [];
      for (const page of ['1', '2']) {
        const forMany = await trellis.statements.during(async () => {
          listed.push(...(await list(`per_page=100&page=${page}${query}`)));
        });
        expect(forMany).toHaveLength(forFew.length);
        expect(forMany.filter((sql) => !/^\s*(SELECT|WITH)\b/.test(sql))).toEqual([]);
      }
      expect(few).toHaveLength(1);
      expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids));
      expect(listed.map((one) => one.merge_status)).toEqual(unknown);
    }
    expect(trellis.git.spawnCount).toBe(spawned);
    expect(await statuses()).toEqual(unknown);
  });

  it('are checked one by one when they are read, and by the background check', async () => {
    const wanted = ids.map((_, at) => (at % 2 === 0 ? 'can_be_merged' : 'cannot_be_merged'));
    for (const at of [0, 1]) {
      const path = pathOf({ id: ids[at]!, project_id: project.id });
      const { body } = await trellis.as(owner).get(path).expect(200);
      expect(body).toMatchObject({ merge_status: wanted[at] });
      expect(await statuses()).toEqual([...wanted.slice(0, at + 1), ...unknown.slice(at + 1)]);
    }
    const spawned = trellis.git.spawnCount;
    expect((await list('per_page=100&sort=asc')).map((one) => one.merge_status)).toEqual([
      ...wanted.slice(0, 2),
      ...unknown.slice(0, 98),
    ]);
    expect(trellis.git.spawnCount).toBe(spawned);

    await trellis.app.get(CheckMergeabilityJob).handle({ projectId: project.id }, RUN);
    expect(await statuses()).toEqual(wanted);
  });
});
