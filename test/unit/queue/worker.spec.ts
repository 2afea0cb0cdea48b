/** @alone */
import { QueueLifecycle } from '../../../src/platform/queue/index.js';
import { OutboxRepository } from '../../../src/platform/queue/outbox/outbox.repository.js';
import { trimFailedJobs } from '../../../src/platform/queue/outbox/trim-failed-jobs.js';
import { backends } from './support/backends.js';
import { eventually, gate } from './support/eventually.js';
import { QueueFixture } from './support/fixture.js';
import { plainJob } from './support/jobs.js';

describe.each(backends)('a worker $title', ({ kind }) => {
  let fixture: QueueFixture;
  beforeAll(async () => {
    fixture = await QueueFixture.create(kind);
  });
  afterEach(() => fixture.reset());
  afterAll(() => fixture.close());

  it('that drains finishes its jobs and starts none', async () => {
    const worker = await fixture.worker();
    const { opened, open } = gate();
    const begun: string[] = [];
    const ended: string[] = [];
    worker.behaviour.on('plain', async (key) => {
      begun.push(key);
      await opened;
      ended.push(key);
    });
    await worker.add(plainJob.with({ key: 'in flight' }), plainJob.with({ key: 'waiting' }));
    await eventually(() => expect(begun).toEqual(['in flight']));
    const drained = worker.get(QueueLifecycle).drain(10_000);
    await worker.add(plainJob.with({ key: 'too late' }));
    open();
    await drained;
    expect(begun).toEqual(['in flight']);
    expect(ended).toEqual(['in flight']);
    expect(await fixture.rows("SELECT payload->>'key' AS key FROM outbox ORDER BY id")).toEqual([
      { key: 'waiting' },
      { key: 'too late' },
    ]);
  });

  it('that stops before a job has ended returns it without counting an attempt', async () => {
    const worker = await fixture.worker({ abortGraceMs: 10_000 });
    worker.behaviour.on('plain', async (_, { signal }) => {
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('interrupted')));
      });
    });
    await worker.add(plainJob.with({ key: 'a' }));
    await eventually(async () => {
      expect(await worker.queues.queue('alpha').getJobCounts('active')).toEqual({ active: 1 });
    });
    await worker.get(QueueLifecycle).drain(4_000);
    expect(await fixture.outbox()).toEqual([
      { round: 1, attempts: 0, error: null, enqueued: false, failed: false },
    ]);
  });

  it('that is considered dead stops its jobs, records nothing, and continues with others', async () => {
    const worker = await fixture.worker({ sweepAfterMs: 500, sweepEveryMs: 100 });
    const begun = gate();
    const ran: string[] = [];
    worker.behaviour.on('plain', async (key, { signal }) => {
      ran.push(key);
      if (ran.length > 1) return;
      begun.open();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('interrupted')));
      });
    });
    const recordFailure = jest.spyOn(worker.get(OutboxRepository), 'recordFailure');
    await worker.add(plainJob.with({ key: 'a' }));
    await begun.opened;
    worker.get(QueueLifecycle).leaveJobs();
    // Nothing else has taken it: the sweep finds it.
    await fixture.untilOutboxIsEmpty();
    expect(ran).toEqual(['a', 'a']);
    expect(recordFailure).not.toHaveBeenCalled();
  });

  it('that cannot stop a job ends nevertheless, and another takes the job over', async () => {
    const stuck = await fixture.worker({ drainMs: 100, abortGraceMs: 10_000 });
    const begun = gate();
    const released = gate();
    stuck.behaviour.on('plain', () => {
      begun.open();
      return released.opened;
    });
    await stuck.add(plainJob.with({ key: 'a' }));
    await begun.opened;
    await stuck.module.close();
    expect(await fixture.outbox()).toMatchObject([{ round: 0, attempts: 0, enqueued: true }]);
    const worker = await fixture.worker();
    const ran: string[] = [];
    worker.behaviour.on('plain', (key) => {
      ran.push(key);
      return Promise.resolve();
    });
    await fixture.untilOutboxIsEmpty();
    released.open();
    expect(ran).toEqual(['a']);
  });

  it('is one of several that run each job once', async () => {
    const bothHaveOne = gate();
    const taken = new Set<object>();
    const ran: string[] = [];
    const workers = [await fixture.worker(), await fixture.worker()] as const;
    for (const worker of workers) {
      worker.behaviour.on('plain', async (key) => {
        ran.push(key);
        taken.add(worker);
        if (taken.size === workers.length) bothHaveOne.open();
        await bothHaveOne.opened;
      });
    }
    const keys = Array.from({ length: 20 }, (_, index) => `job ${String(index)}`);
    await workers[0].add(...keys.map((key) => plainJob.with({ key })));
    await fixture.untilOutboxIsEmpty();
    expect(ran.sort()).toEqual(keys.sort());
  });

  it('is one of several that share the recurring jobs', async () => {
    const ticks: string[] = [];
    for (const worker of [await fixture.worker(), await fixture.worker()]) {
      worker.behaviour.on('tick', (jobId) => {
        ticks.push(jobId);
        return Promise.resolve();
      });
    }
    await eventually(() => expect(ticks.length).toBeGreaterThan(3));
    expect(new Set(ticks).size).toBe(ticks.length);
  });

  it('runs a recurring job again after it has failed, and keeps no failed job in the queue', async () => {
    const worker = await fixture.worker();
    let ticks = 0;
    worker.behaviour.on('tick', () => {
      ticks += 1;
      return Promise.reject(new Error('broken'));
    });
    await eventually(() => expect(ticks).toBeGreaterThan(2));
    expect(await worker.queues.queue('gamma').getJobCounts('failed')).toEqual({ failed: 0 });
  });

  it('restores the recurring jobs after the store of the queue was emptied', async () => {
    const worker = await fixture.worker();
    let ticks = 0;
    worker.behaviour.on('tick', () => {
      ticks += 1;
      return Promise.resolve();
    });
    await eventually(() => expect(ticks).toBeGreaterThan(0));
    await fixture.redis?.command('FLUSHALL');
    await fixture.database.dataSource.query('TRUNCATE bullmq.job, bullmq.scheduler CASCADE');
    const before = ticks;
    await eventually(() => expect(ticks).toBeGreaterThan(before + 1));
  });

  it('drops undefined recurring jobs', async () => {
    const idle = await fixture.idleWorker();
    const queue = idle.queues.queue('gamma');
    await queue.upsertJobScheduler('forgotten', { every: 3_600_000 }, { name: 'forgotten' });
    await fixture.worker();
    await eventually(async () => {
      expect((await queue.getJobSchedulers()).map(({ key }) => key)).toEqual(['tick']);
    });
  });

  it('takes few connections for any number of queues', async () => {
    const worker = await fixture.worker({ poolSize: 3 });
    await worker.add(plainJob.with({ key: 'a' }));
    await fixture.untilOutboxIsEmpty();
    // Sessions of the workers before may still be about to end.
    await eventually(async () => {
      const [row] = await fixture.rows<{ count: number }>(
        `SELECT count(*)::int FROM pg_stat_activity
         WHERE datname = current_database()
           AND application_name <> current_setting('application_name')`,
      );
      // One listens.
      expect(row?.count).toBeGreaterThanOrEqual(1);
      expect(row?.count).toBeLessThanOrEqual(1 + 3);
    });
  });

  it('reports whether the store of the queue responds', async () => {
    const worker = await fixture.idleWorker();
    await expect(worker.queues.ping()).resolves.toBeUndefined();
    await worker.queues.close();
    await expect(worker.queues.ping()).rejects.toThrow();
  });

  it('trims old failed jobs', async () => {
    const store = (await fixture.idleWorker()).get(OutboxRepository);
    await fixture.rows(
      `INSERT INTO outbox (queue, name, payload, failed_at)
       SELECT 'alpha', 'plain', '{}', now() - day * interval '1 day'
       FROM unnest(ARRAY[0, 9, 11, 12, 13]) AS day`,
    );
    const tenDays = 10 * 24 * 3_600_000;
    expect(await store.trimFailed(tenDays, 2)).toBe(2);
    expect(await store.trimFailed(tenDays, 2)).toBe(1);
    expect(await fixture.outbox()).toHaveLength(2);
    expect(trimFailedJobs.everyMs).toBe(3_600_000);
  });
});
