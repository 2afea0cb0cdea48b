/** @alone */
import { Database, UnitOfWork } from '../../../src/platform/database/index.js';
import { Outbox, UnrecoverableJobError } from '../../../src/platform/queue/index.js';
import { OutboxRelay } from '../../../src/platform/queue/outbox/outbox-relay.js';
import { jobIdOf, OutboxRepository } from '../../../src/platform/queue/outbox/outbox.repository.js';
import { backends } from './support/backends.js';
import { eventually, gate } from './support/eventually.js';
import { QueueFixture } from './support/fixture.js';
import { fairJob, hastyJob, onceJob, plainJob } from './support/jobs.js';

describe.each(backends)('jobs $title', ({ kind }) => {
  let fixture: QueueFixture;
  beforeAll(async () => {
    fixture = await QueueFixture.create(kind);
  });
  afterEach(() => fixture.reset());
  afterAll(() => fixture.close());

  it('run after the commit, not after a rollback', async () => {
    const worker = await fixture.worker();
    const ran: string[] = [];
    worker.behaviour.on('plain', (key) => {
      ran.push(key);
      return Promise.resolve();
    });
    const undone = worker.get(UnitOfWork).run(async () => {
      await worker.get(Outbox).add(plainJob.with({ key: 'undone' }));
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    await worker.add(plainJob.with({ key: 'done' }), plainJob.with({ key: 'done too' }));
    await eventually(() => expect(ran).toEqual(['done', 'done too']));
    await fixture.untilOutboxIsEmpty();
  });

  it('of a fair kind take turns by their keys, and wait in the outbox beyond their share', async () => {
    const worker = await fixture.idleWorker({ fairWindow: 8, fairShare: 4 });
    const ran: string[] = [];
    worker.behaviour.on('fair', (key) => {
      ran.push(key);
      return Promise.resolve();
    });
    const keys = [...Array.from({ length: 20 }, (_, index) => `a ${String(index)}`), 'b', 'c'];
    await worker.add(
      ...keys.map((key) => fairJob.with({ key }, { fairnessKey: `key ${key.slice(0, 1)}` })),
    );
    const relay = worker.get(OutboxRelay);
    expect(await relay.relayBatch()).toMatchObject({ size: 6, hasBacklog: true });
    expect(await relay.relayBatch()).toMatchObject({ size: 0, hasBacklog: true });
    await worker.module.init();
    await fixture.untilOutboxIsEmpty();
    expect(ran.slice(0, 3)).toEqual(['a 0', 'b', 'c']);
    expect([...ran].sort()).toEqual([...keys].sort());
  });

  it('run once when the relay dies between handing over and recording it', async () => {
    const worker = await fixture.idleWorker();
    const mark = jest.spyOn(worker.get(OutboxRepository), 'markEnqueued');
    mark.mockRejectedValueOnce(new Error('died'));
    const ran: string[] = [];
    worker.behaviour.on('plain', (key) => {
      ran.push(key);
      return Promise.resolve();
    });
    await worker.add(plainJob.with({ key: 'a' }), plainJob.with({ key: 'b' }));
    await worker.module.init();
    await fixture.untilOutboxIsEmpty();
    await worker.add(plainJob.with({ key: 'last' }));
    await fixture.untilOutboxIsEmpty();
    expect(mark).toHaveBeenCalled();
    expect(ran).toEqual(['a', 'b', 'last']);
  });

  it('are retried after a failure and a rollback, and then succeed', async () => {
    const worker = await fixture.worker();
    const attempts: number[] = [];
    worker.behaviour.on('once', async (key, { attempt }) => {
      attempts.push(attempt);
      await worker.get(Database).rows('INSERT INTO effects (key) VALUES ($1)', [key]);
      if (attempt < 3) throw new Error('not yet');
    });
    await worker.add(onceJob.with({ key: 'a' }));
    await fixture.untilOutboxIsEmpty();
    expect(attempts).toEqual([1, 2, 3]);
    expect(await fixture.rows('SELECT key FROM effects')).toEqual([{ key: 'a' }]);
  });

  it('are kept with the reason when all attempts have failed', async () => {
    // The job is not taken over meanwhile: its lock lasts.
    const worker = await fixture.worker({ lockMs: 60_000, stalledCheckMs: 60_000 });
    let runs = 0;
    worker.behaviour.on('plain', () => {
      runs += 1;
      return Promise.reject(new TypeError('broken \0 thing'));
    });
    await worker.add(plainJob.with({ key: 'a' }));
    await eventually(async () => {
      expect(await fixture.outbox()).toMatchObject([
        { attempts: 3, error: 'TypeError: broken \uFFFD thing', failed: true },
      ]);
    });
    expect(runs).toBe(3);
    // Only the outbox tells of failures.
    const queue = worker.queues.queue('alpha');
    await eventually(async () => {
      const states = ['waiting', 'delayed', 'active', 'completed', 'failed'] as const;
      expect(Object.values(await queue.getJobCounts(...states))).toEqual([0, 0, 0, 0, 0]);
    });
  });

  it('fail permanently on request of their handler', async () => {
    const worker = await fixture.worker();
    worker.behaviour.on('plain', () => Promise.reject(new UnrecoverableJobError('gone')));
    await worker.add(plainJob.with({ key: 'a' }));
    await eventually(async () => {
      expect(await fixture.outbox()).toMatchObject([{ attempts: 1, failed: true }]);
    });
  });

  it('fail after their time limit, even if they ignore it', async () => {
    const worker = await fixture.worker();
    worker.behaviour.on('hasty', () => new Promise(() => undefined));
    await worker.add(hastyJob.with({ key: 'a' }));
    await eventually(async () => {
      expect(await fixture.outbox()).toMatchObject([
        { error: 'JobTimeLimitError: The job did not end within 20 ms', failed: true },
      ]);
    });
  });

  it('wait for their delay', async () => {
    const worker = await fixture.worker();
    const ran: string[] = [];
    worker.behaviour.on('plain', (key) => {
      ran.push(key);
      return Promise.resolve();
    });
    await worker.add(
      plainJob.with({ key: 'much later' }, { delayMs: 3_600_000 }),
      plainJob.with({ key: 'later' }, { delayMs: 300 }),
      plainJob.with({ key: 'now' }),
    );
    await eventually(() => expect(ran).toEqual(['now', 'later']));
    await eventually(async () => {
      expect(await fixture.outbox()).toMatchObject([{ enqueued: false, failed: false }]);
    });
  });

  it('of a transactional kind take effect once for repeated deliveries', async () => {
    const worker = await fixture.worker();
    const { opened, open } = gate();
    let runs = 0;
    worker.behaviour.on('once', async (key) => {
      runs += 1;
      await opened;
      await worker.get(Database).rows('INSERT INTO effects (key) VALUES ($1)', [key]);
    });
    await worker.add(onceJob.with({ key: 'a' }));
    const jobId = jobIdOf(await fixture.youngest());
    open();
    await fixture.untilOutboxIsEmpty();
    const queue = worker.queues.queue('beta');
    await eventually(async () => {
      expect(await queue.getJobState(jobId)).toBe('unknown');
    });
    await queue.addBulk([{ name: 'once', data: {}, opts: { jobId, removeOnComplete: false } }]);
    await eventually(async () => {
      expect(await queue.getJobState(jobId)).toBe('completed');
    });
    expect(runs).toBe(1);
    expect(await fixture.rows('SELECT key FROM effects')).toEqual([{ key: 'a' }]);
  });
});
