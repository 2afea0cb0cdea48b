import pg from 'pg';
import { Repository } from '../../../src/git/index.js';
import { PushFollower } from '../../../src/modules/merge-requests/pushes/push-follower.js';
import { ImportRunner } from '../../../src/modules/projects/lifecycle/imports/import-runner.js';
import { PushRecovery } from '../../../src/modules/repository/index.js';
import { ProjectStorage, REPOSITORY_LOCK } from '../../../src/modules/storage/index.js';
import type { Person } from '../../support/factories.js';
import { Database } from '../../../src/platform/database/index.js';
import { Merging } from '../../support/merging.js';
import { pathOf } from '../../support/merge-requests.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import {
  countLockWaits,
  untilWaitedFor,
  waitingFor,
  whileLocked,
} from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const TAKE_LOCK = 'SELECT pg_advisory_lock($1, $2)';
const FIND_WAITING = `
  SELECT FROM pg_locks
   WHERE locktype = 'advisory' AND NOT granted AND classid = $1::int::oid
     AND objid = ANY($2::int[]::oid[])`;
/** More than the database connections of a process. */
const REQUESTS = 30;
/** As many as there are connections, without those of the test and of the merge. */
const WAITING_NOTES = 8;

describe('requests that wait for the push lock of a project', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  /** Does some work while another session holds the push locks of projects. */
  async function whileHeld<T>(
    ids: readonly number[],
    work: (pushes: pg.Client) => Promise<T>,
  ): Promise<T> {
    const pushes = new pg.Client(trellis.databaseUrl);
    await pushes.connect();
    try {
      for (const id of ids) await pushes.query(TAKE_LOCK, [REPOSITORY_LOCK, id]);
      return await work(pushes);
    } finally {
      await pushes.end();
    }
  }

  /** Resolves when as many sessions wait for push locks as there are places, whether or not more work waits for them. */
  const untilWaiting = (pushes: pg.Client, ids: readonly number[], least: number) =>
    until(async () => {
      const { rowCount } = await pushes.query(FIND_WAITING, [REPOSITORY_LOCK, ids]);
      return (rowCount ?? 0) >= least;
    });

  const release = (id: number, person = owner) =>
    trellis
      .as(person)
      .put(`/projects/${String(id)}/repository/tags/v1/release`, { description: 'Notes' });

  /** Makes projects with a tag that has a release. */
  async function makeReleased(count: number, person = owner): Promise<number[]> {
    const projects = person === owner ? pushed : new PushedProjects(trellis, person);
    const ids: number[] = [];
    for (let made = 0; made < count; made += 1) {
      const { project } = await projects.make();
      const tag = { tag_name: 'v1', ref: 'master', release_description: 'First' };
      const path = `/projects/${String(project.id)}/repository/tags`;
      await trellis.as(person).post(path, tag).expect(200);
      ids.push(project.id);
    }
    if (projects !== pushed) await projects.remove();
    return ids;
  }

  it('leave the connections of requests free', async () => {
    const ids = await makeReleased(4);
    await whileHeld(ids, async (pushes) => {
      const answers = Promise.all(ids.map(async (id) => (await release(id)).status));
      await untilWaiting(pushes, ids, 3);
      expect(trellis.app.get(Database).connectionCounts().used).toBe(0);
      await pushes.end();
      expect(await answers).toEqual([200, 200, 200, 200]);
    });
  });

  it.each([
    { case: 'once before they wait', moves: false, walks: 1, status: 200 },
    { case: 'again when the branch has moved meanwhile', moves: true, walks: 2, status: 400 },
  ])('walk history for last_commit_id $case', async ({ moves, walks, status }) => {
    const { project, work, head } = await pushed.make();
    const other = await work.commit('Other', 'file.txt');
    await work.git('branch', 'other');
    expect((await work.push('other')).code).toBe(0);
    const cwd = trellis.app.get(ProjectStorage).path({ id: project.id, storage: 'default' });
    const lastChange = jest.spyOn(Repository.prototype, 'lastChange');
    await whileHeld([project.id], async (pushes) => {
      const change = { branch: 'master', commit_message: 'Change', content: 'x' };
      const answer = trellis
        .as(owner)
        .v4.put(`/projects/${String(project.id)}/repository/files/file.txt`, {
          ...change,
          last_commit_id: head,
        })
        .then((response) => response.status);
      await untilWaiting(pushes, [project.id], 1);
      expect(lastChange).toHaveBeenCalledTimes(1);
      await expect(lastChange.mock.results[0]?.value).resolves.toBe(head);
      if (moves) await git(['update-ref', 'refs/heads/master', other], { cwd });
      await pushes.end();
      expect(await answer).toBe(status);
    });
    expect(lastChange).toHaveBeenCalledTimes(walks);
    lastChange.mockRestore();
  });

  it('leave places to other users', async () => {
    const ids = await makeReleased(8);
    const stranger = await trellis.factories.user();
    const [own = 0] = await makeReleased(1, stranger);
    await whileHeld(ids, async (pushes) => {
      const answers = Promise.all(ids.map(async (id) => (await release(id)).status));
      await untilWaiting(pushes, ids, 3);
      await release(own, stranger).expect(200);
      await pushes.end();
      expect(await answers).toEqual(ids.map(() => 200));
    });
  });

  it.each<[string, (projectId: number) => Promise<unknown>]>([
    [
      'jobs that follow branches',
      (projectId) =>
        trellis.app.get(PushFollower).handle({ projectId, userId: owner.user.id, branches: [] }),
    ],
    [
      'ends of imports',
      (projectId) =>
        trellis.app.get(ImportRunner).finish({
          ...{
            projectId,
            userId: owner.user.id,
            storage: 'default',
            address: '',
            credentials: null,
          },
        }),
    ],
    ['recoveries', (projectId) => trellis.app.get(PushRecovery).recover(projectId)],
  ])('leave the connections of requests free in %s', async (_, work) => {
    const projects = await Promise.all(
      Array.from({ length: REQUESTS }, () => trellis.factories.project(owner)),
    );
    const ids = projects.map(({ id }) => id);
    await whileHeld(ids, async (pushes) => {
      const ended = Promise.all(ids.map(work));
      await untilWaiting(pushes, ids, 3);
      await trellis.as(owner).get('/user').expect(200);
      await pushes.end();
      await ended;
    });
  });

  it('end while notes wait for the merge request that is accepted', async () => {
    const merging = await Merging.begin(trellis);
    const place = await merging.place();
    const request = await place.propose();
    const note = () =>
      trellis
        .as(place.owner)
        .post(`${pathOf(request)}/notes`, { body: 'Noted' })
        .expect(200);
    const observer = new pg.Client(trellis.databaseUrl);
    await observer.connect();
    try {
      const { accepted, notes } = await whileLocked(trellis, 'merge_attempts', async () => {
        const accepting = place.accept(request).then(({ status }) => status);
        await until(async () => (await waitingFor(trellis, 'merge_attempts')).length > 0);
        const noting = Promise.all(Array.from({ length: REQUESTS }, note));
        const rows = async <Row>(sql: string) => (await observer.query(sql)).rows as Row[];
        await until(async () => (await countLockWaits({ rows })) >= WAITING_NOTES);
        return { accepted: accepting, notes: noting };
      });
      expect(await accepted).toBe(200);
      await notes;
    } finally {
      await observer.end();
      await merging.end();
    }
  });

  it.each([
    ['releases', 'repository/tags/v1/release', { description: 'Notes' }],
    ['changes of the default branch', '', { default_branch: 'other' }],
  ])('hold one database connection together: %s', async (_, path, body) => {
    const { project } = await pushed.make();
    const url = `/projects/${String(project.id)}`;
    const client = trellis.as(owner);
    await client.post(`${url}/repository/branches`, { branch_name: 'other', ref: 'master' });
    const tag = { tag_name: 'v1', ref: 'master', release_description: 'First' };
    await client.post(`${url}/repository/tags`, tag).expect(200);
    const push = trellis.dataSource.createQueryRunner();
    await push.startTransaction();
    try {
      const lock = [REPOSITORY_LOCK, project.id];
      await push.query('SELECT pg_advisory_xact_lock($1, $2)', lock);
      const address = path === '' ? url : `${url}/${path}`;
      const answers = Promise.all(
        Array.from({ length: REQUESTS }, async () => (await client.put(address, body)).status),
      );
      await untilWaitedFor(trellis, push);
      const stranger = await trellis.factories.user();
      await trellis.as(stranger).get('/user').expect(200);
      const waiting: unknown = await push.query(
        `SELECT pid FROM pg_locks
          WHERE locktype = 'advisory' AND NOT granted AND classid = $1::int::oid AND objid = $2::int::oid`,
        lock,
      );
      expect(waiting).toHaveLength(1);
      await push.commitTransaction();
      expect(await answers).toEqual(Array<number>(REQUESTS).fill(200));
    } finally {
      if (push.isTransactionActive) await push.rollbackTransaction();
      await push.release();
    }
  });
});
