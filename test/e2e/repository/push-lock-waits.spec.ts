import { REPOSITORY_LOCK } from '../../../src/modules/storage/index.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { untilWaitedFor } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

/** More than the database connections of a process. */
const REQUESTS = 30;

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
