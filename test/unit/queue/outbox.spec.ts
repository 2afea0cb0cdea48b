import { Client } from 'pg';
import { Database, UnitOfWork } from '../../../src/platform/database/index.js';
import { migrateQueue, Outbox } from '../../../src/platform/queue/index.js';
import { createQueueDatabase, type QueueDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { onceJob, plainJob } from './support/jobs.js';

describe('the outbox', () => {
  let database: QueueDatabase;
  let outbox: Outbox;
  let unitOfWork: UnitOfWork;
  beforeAll(async () => {
    database = await createQueueDatabase();
    outbox = new Outbox(new Database(database.dataSource));
    unitOfWork = new UnitOfWork(database.dataSource);
  });
  afterEach(() => database.dataSource.query('TRUNCATE outbox'));
  afterAll(() => database.drop());

  it('refuses jobs outside a unit of work', async () => {
    await expect(outbox.add(plainJob.with({ key: 'a' }))).rejects.toThrow('inside a unit of work');
    await expect(outbox.addAll([])).rejects.toThrow('inside a unit of work');
    await expect(outbox.addUnlessWaiting(plainJob.with({ key: 'a' }))).rejects.toThrow(
      'inside a unit of work',
    );
  });

  it('skips a job that is already waiting, unless another unit of work holds it', async () => {
    const job = plainJob.with({ key: 'a' });
    const count = async (): Promise<number> =>
      (await database.dataSource.query<unknown[]>('SELECT 1 FROM outbox')).length;
    await unitOfWork.run(() => outbox.addUnlessWaiting(job));
    await unitOfWork.run(async () => {
      await outbox.addUnlessWaiting(job);
      await outbox.addUnlessWaiting(plainJob.with({ key: 'b' }));
      // The one that waits is locked by this unit: for others it is as good as handed over.
      await unitOfWork.detached(() => unitOfWork.run(() => outbox.addUnlessWaiting(job)));
    });
    expect(await count()).toBe(3);
    await database.dataSource.query('UPDATE outbox SET enqueued_at = now()');
    await unitOfWork.run(() => outbox.addUnlessWaiting(job));
    expect(await count()).toBe(4);
  });

  it('stores jobs of several kinds with one statement, and notifies once', async () => {
    const listener = new Client({ connectionString: database.url });
    await listener.connect();
    const notified: (string | undefined)[] = [];
    listener.on('notification', ({ channel }) => notified.push(channel));
    await listener.query('LISTEN outbox');
    const jobs = [plainJob.with({ key: 'ä"\\' }), onceJob.with({ key: 'b' }, { delayMs: 5_000 })];
    await unitOfWork.run(() => outbox.addAll(jobs));
    const rows: unknown = await database.dataSource.query(
      `SELECT queue, name, payload, extract(epoch FROM run_at - created_at)::int AS delay
       FROM outbox ORDER BY id`,
    );
    expect(rows).toEqual([
      { queue: 'alpha', name: 'plain', payload: { key: 'ä"\\' }, delay: 0 },
      { queue: 'beta', name: 'once', payload: { key: 'b' }, delay: 5 },
    ]);
    await eventually(() => expect(notified).toEqual(['outbox']));
    await listener.end();
  });

  it('matches its entity', async () => {
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    const statements = upQueries.map(({ query }) => query);
    expect(statements.filter((query) => query.includes('outbox'))).toEqual([]);
  });

  it('allows several processes to prepare the queue concurrently', async () => {
    await database.dataSource.query('DROP SCHEMA bullmq CASCADE');
    await Promise.all([1, 2, 3].map(() => migrateQueue(database.url)));
    const tables: unknown = await database.dataSource.query(
      "SELECT to_regclass('bullmq.job') IS NOT NULL AS present",
    );
    expect(tables).toEqual([{ present: true }]);
  });
});
