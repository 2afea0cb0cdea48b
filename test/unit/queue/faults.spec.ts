/** @alone */
import { Test } from '@nestjs/testing';
import { PostgresListener } from '../../../src/platform/queue/backends/postgres-listener.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { Database } from '../../../src/platform/database/index.js';
import { HandlerRegistry } from '../../../src/platform/queue/jobs/job-handler.js';
import { LateRecords } from '../../../src/platform/queue/running/late-records.js';
import { OutboxJobRunner } from '../../../src/platform/queue/running/outbox-job-runner.js';
import { OutboxRelay } from '../../../src/platform/queue/outbox/outbox-relay.js';
import { jobIdOf, OutboxRepository } from '../../../src/platform/queue/outbox/outbox.repository.js';
import { OutboxSweep } from '../../../src/platform/queue/reconciliation/outbox-sweep.js';
import { PostgresBackend } from '../../../src/platform/queue/backends/postgres-backend.js';
import { ErrorLog } from '../../../src/platform/queue/backends/queue-backend.js';
import { createDatabase } from '../../support/database.js';
import { countLockWaits } from '../../support/table-lock.js';
import { backends } from './support/backends.js';
import { eventually, gate } from './support/eventually.js';
import { QueueFixture, Worker } from './support/fixture.js';
import { onceJob, plainJob } from './support/jobs.js';
import { workerModule } from './support/worker-module.js';

const DOOMED_WORKER = join(__dirname, 'support', 'doomed-worker.cjs');

describe.each(backends)('jobs under faults $title', ({ kind }) => {
  let fixture: QueueFixture;
  beforeAll(async () => {
    fixture = await QueueFixture.create(kind);
  });
  afterEach(() => fixture.reset());
  afterAll(() => fixture.close());

  it('are taken over from a worker that was killed', async () => {
    const doomed = spawn(process.execPath, [DOOMED_WORKER, JSON.stringify(fixture.settings)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = once(doomed, 'exit');
    try {
      await (await fixture.idleWorker()).add(plainJob.with({ key: 'a' }));
      await eventually(async () => {
        expect(await fixture.rows('SELECT note FROM effects')).toEqual([{ note: 'begun' }]);
      }, 50_000);
    } finally {
      doomed.kill('SIGKILL');
      await exited;
    }
    const worker = await fixture.worker();
    const ran: string[] = [];
    worker.behaviour.on('plain', (key) => {
      ran.push(key);
      return Promise.resolve();
    });
    await fixture.untilOutboxIsEmpty();
    expect(ran).toEqual(['a']);
  });

  it('count an attempt when the queue fails them since too many of their workers died', async () => {
    const worker = await fixture.idleWorker();
    worker.get(HandlerRegistry).load();
    await worker.add(plainJob.with({ key: 'a' }));
    await worker.get(OutboxRelay).relayBatch();
    const mortal = {
      ...{ concurrency: 1, lockDuration: 100, stalledInterval: 100, maxStalledCount: 0 },
      skipLockRenewal: true,
    };
    const taken = gate();
    worker.queues.worker('alpha', () => (taken.open(), new Promise(() => undefined)), mortal);
    await taken.opened;
    worker.queues.worker('alpha', () => Promise.resolve(), mortal);
    const jobId = jobIdOf(await fixture.youngest());
    await eventually(async () => {
      expect(await worker.queues.queue('alpha').getJobState(jobId)).toBe('failed');
    });
    expect(await worker.get(OutboxSweep).run(0)).toBe(1);
    expect(await fixture.outbox()).toMatchObject([
      {
        round: 1,
        attempts: 1,
        error: 'Error: job stalled more than allowable limit',
        failed: false,
      },
    ]);
  });

  it('are all run after the store of the queue was emptied', async () => {
    const worker = await fixture.worker({ sweepAfterMs: kind === 'redis' ? 3_600_000 : 100 });
    const { opened, open } = gate();
    const ran: string[] = [];
    worker.behaviour.on('plain', async (key) => {
      ran.push(key);
      await opened;
    });
    const keys = Array.from({ length: 30 }, (_, index) => `job ${index}`);
    await worker.add(...keys.map((key) => plainJob.with({ key })));
    await eventually(async () => {
      expect(ran).toHaveLength(1);
      expect(await fixture.outbox()).toMatchObject(Array<unknown>(30).fill(ENQUEUED));
    });
    if (fixture.redis === undefined) {
      await fixture.database.dataSource.query('TRUNCATE bullmq.job CASCADE');
    } else {
      await fixture.redis.command('FLUSHALL');
    }
    open();
    await fixture.untilOutboxIsEmpty();
    expect(ran.sort()).toEqual(keys.sort());
  });

  it('are all run after a server that lacks them took the place of another', async () => {
    const sweepAfterMs = kind === 'redis' ? 3_600_000 : 100;
    const worker = await fixture.worker({ sweepAfterMs });
    const sweep = jest.spyOn(worker.get(OutboxSweep), 'run');
    const { opened, open } = gate();
    const ran: string[] = [];
    worker.behaviour.on('plain', async (key) => {
      ran.push(key);
      await opened;
    });
    const keys = Array.from({ length: 5 }, (_, index) => `job ${index}`);
    await worker.add(...keys.map((key) => plainJob.with({ key })));
    await eventually(async () => {
      expect(ran).toHaveLength(1);
      expect(await fixture.outbox()).toMatchObject(Array<unknown>(5).fill(ENQUEUED));
      // No longer everything, as in the first moments of a worker.
      expect(sweep).toHaveBeenLastCalledWith(sweepAfterMs);
    });
    if (fixture.redis === undefined) {
      await fixture.database.dataSource.query('TRUNCATE bullmq.job CASCADE');
    } else {
      // What a replica has that had received no more than the mark.
      await fixture.redis.command('EVAL', REPLICA_WITH_MARK, '0');
    }
    open();
    await fixture.untilOutboxIsEmpty();
    expect(ran.sort()).toEqual(keys);
  });

  it('hold no transaction open while the store was never reached', async () => {
    const away =
      kind === 'redis'
        ? { databaseUrl: fixture.database.url, redisUrl: 'redis://127.0.0.1:1' }
        : { databaseUrl: 'postgres://trellis@127.0.0.1:1/trellis' };
    const module = await Test.createTestingModule({
      imports: [workerModule(away, fixture.database.dataSource)],
    }).compile();
    const worker = new Worker(module);
    expect(worker.queues.reachMs).toBe(2_000);
    Object.assign(worker.queues, { reachMs: 100 });
    await worker.add(plainJob.with({ key: 'a' }));
    await expect(worker.get(OutboxRelay).relayBatch()).rejects.toThrow('does not answer');
    expect(await fixture.outbox()).toMatchObject([{ enqueued: false, attempts: 0 }]);
    await module.close();
  });

  it('wait while notifications do not reach the relay, and are then found', async () => {
    // The timer is out of the way: only notifications move rows.
    const worker = await fixture.worker({ relayPollMs: 3_600_000 });
    const { listener } = worker.queues;
    // A relay that does not reach its queue in time would try again by the timer.
    await eventually(async () => {
      await worker.queues.reach('alpha');
    });
    const ran: string[] = [];
    worker.behaviour.on('plain', (key) => {
      ran.push(key);
      return Promise.resolve();
    });
    await worker.add(plainJob.with({ key: 'before' }));
    await eventually(() => expect(ran).toEqual(['before']));
    const disconnected = once(listener, 'disconnected');
    const connected = once(listener, 'connected');
    const { rows } = await listener.query('SELECT pg_backend_pid() AS pid');
    await fixture.rows('SELECT pg_terminate_backend($1)', [(rows[0] as { pid: number }).pid]);
    await disconnected;
    await worker.add(plainJob.with({ key: 'meanwhile' }));
    await connected;
    await eventually(() => expect(ran).toEqual(['before', 'meanwhile']));
    await worker.add(plainJob.with({ key: 'after' }));
    await eventually(() => expect(ran).toEqual(['before', 'meanwhile', 'after']));
  });

  it('are run after all connections were cut', async () => {
    const worker = await fixture.worker();
    const { opened, open } = gate();
    const ran = new Set<string>();
    worker.behaviour.on('plain', async (key) => {
      ran.add(key);
      await opened;
    });
    const keys = ['a', 'b', 'c', 'd'];
    await worker.add(...keys.map((key) => plainJob.with({ key })));
    await eventually(() => expect(ran.size).toBe(1));
    await fixture.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await fixture.redis?.kill();
    open();
    await fixture.redis?.restart();
    await eventually(async () => {
      await worker.add(plainJob.with({ key: 'after' }));
    });
    await fixture.untilOutboxIsEmpty();
    expect([...ran].sort()).toEqual(['a', 'after', 'b', 'c', 'd']);
  });

  it('are run by a worker that started while the database was away', async () => {
    const ran: string[] = [];
    const asked = jest.spyOn(PostgresListener.prototype, 'query');
    const worker = await fixture.database.away(async () => {
      const started = await fixture.worker();
      started.behaviour.on('plain', async (key) => {
        ran.push(key);
      });
      // The first statements fail, and are repeated.
      const least = kind === 'postgres' ? 10 : 0;
      await eventually(() => expect(asked.mock.calls.length).toBeGreaterThanOrEqual(least));
      return started;
    });
    asked.mockRestore();
    await worker.add(plainJob.with({ key: 'a' }));
    await fixture.untilOutboxIsEmpty();
    expect(ran).toEqual(['a']);
  });

  it('are run soon after the database was away for longer than their ends are recorded', async () => {
    const worker = await fixture.worker({ lockMs: 60_000, stalledCheckMs: 60_000 });
    recordSoon(worker);
    const { opened, open } = gate();
    const ran: string[] = [];
    worker.behaviour.on('plain', async (key) => {
      ran.push(key);
      await opened;
    });
    const keys = ['a', 'b', 'c', 'd'];
    await worker.add(...keys.map((key) => plainJob.with({ key })));
    await eventually(async () => {
      expect(ran).toHaveLength(1);
      expect(await fixture.outbox()).toMatchObject(Array<unknown>(4).fill(ENQUEUED));
    });
    // Redis goes on handing out jobs, of which not even the rows can be read.
    const unrecorded = kind === 'redis' ? 4 : 1;
    await fixture.database.away(async () => {
      open();
      await eventually(() => expect(worker.get(LateRecords).size).toBe(unrecorded));
    });
    await fixture.untilOutboxIsEmpty();
    expect(ran.sort()).toEqual(keys);
  });

  it('are not handed over again while it could not be recorded that they have ended', async () => {
    const worker = await fixture.idleWorker();
    recordSoon(worker);
    await worker.add(plainJob.with({ key: 'a' }));
    await fixture.rows('UPDATE outbox SET enqueued_at = now()');
    const begun = gate();
    const finish = gate();
    worker.behaviour.on(plainJob.name, () => (begun.open(), finish.opened));
    const ended = worker.deliver(await fixture.youngest(), plainJob);
    await begun.opened;
    await fixture.database.away(async () => {
      finish.open();
      await expect(ended).rejects.toThrow();
    });
    // The queue does not know the job either, as if it had lost it.
    expect(await worker.get(OutboxSweep).run(0)).toBe(0);
    expect(await fixture.outbox()).toMatchObject([{ round: 0, enqueued: true }]);
  });

  it('are compared twice with a new store, even if the database is away the second time', async () => {
    const worker = await fixture.idleWorker();
    const sweep = worker.get(OutboxSweep);
    const compare = sweep.run.bind(sweep);
    const again = gate();
    const away = gate();
    const ends: string[] = [];
    jest.spyOn(sweep, 'run').mockImplementation(async (ageMs) => {
      if (ageMs > 0) return compare(ageMs);
      if (ends.length === 1 && ends[0] === 'compared') {
        again.open();
        await away.opened;
      }
      ends.push('failed');
      const givenBack = await compare(ageMs);
      ends[ends.length - 1] = 'compared';
      return givenBack;
    });
    await worker.module.init();
    // PostgreSQL keeps the jobs beside the outbox: there is no new store.
    if (kind === 'redis') await again.opened;
    await fixture.database.away(async () => {
      away.open();
      const first = kind === 'redis' ? ['compared', 'failed'] : [];
      await eventually(() => expect(ends.slice(0, 2)).toEqual(first));
    });
    await eventually(() => {
      expect(ends.filter((end) => end === 'compared')).toHaveLength(kind === 'redis' ? 2 : 0);
    });
  });

  it('are not taken for safe when the store is emptied while it is checked', async () => {
    const { queues } = await fixture.idleWorker();
    await queues.markAfter(() => Promise.resolve());
    expect(await queues.isMarked()).toBe(true);
    await queues.markAfter(async () => {
      await fixture.redis?.command('FLUSHALL');
    });
    // PostgreSQL keeps the jobs beside the outbox: they cannot get lost by themselves.
    expect(await queues.isMarked()).toBe(kind === 'postgres');
  });

  it('of a transactional kind take effect once when delivered twice at the same time', async () => {
    const worker = await fixture.idleWorker();
    const { opened, open } = gate();
    let runs = 0;
    worker.behaviour.on('once', async (key) => {
      runs += 1;
      await worker.get(Database).rows('INSERT INTO effects (key) VALUES ($1)', [key]);
      await opened;
    });
    await worker.add(onceJob.with({ key: 'a' }));
    const job = await fixture.youngest();
    const deliveries = [worker.deliver(job, onceJob), worker.deliver(job, onceJob)];
    const waiting = eventually(async () => {
      expect(await countLockWaits(fixture)).toBe(1);
    });
    await waiting.finally(open);
    await Promise.all(deliveries);
    expect(runs).toBe(1);
    expect(await fixture.rows('SELECT key FROM effects')).toEqual([{ key: 'a' }]);
  });

  it('that were given back are not run by a delivery from before', async () => {
    const worker = await fixture.idleWorker();
    const ran: string[] = [];
    for (const job of [plainJob, onceJob]) {
      worker.behaviour.on(job.name, (key) => {
        ran.push(key);
        return Promise.resolve();
      });
      await worker.add(job.with({ key: job.name }));
      const reference = await fixture.youngest();
      await worker.get(OutboxRepository).release([reference]);
      await worker.deliver(reference, job);
    }
    expect(ran).toEqual([]);
    expect(await fixture.outbox()).toMatchObject([{ round: 1 }, { round: 1 }]);
  });

  it('that were given back while they ran count no failure of that run', async () => {
    const worker = await fixture.idleWorker();
    await worker.add(plainJob.with({ key: 'late' }));
    const reference = await fixture.youngest();
    worker.behaviour.on(plainJob.name, async () => {
      await worker.get(OutboxRepository).release([reference]);
      throw new Error('Failed after it was given back');
    });
    await worker.deliver(reference, plainJob);
    expect(await fixture.outbox()).toMatchObject([{ round: 1, attempts: 0, error: null }]);
  });

  it('are each moved once by relays that work side by side', async () => {
    const worker = await fixture.idleWorker({ relayBatch: 10 });
    const other = await fixture.idleWorker({ relayBatch: 10 });
    const keys = Array.from({ length: 100 }, (_, index) => `job ${index}`);
    await worker.add(...keys.map((key) => plainJob.with({ key })));
    const moved = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? worker : other).get(OutboxRelay).relayBatch(),
      ),
    );
    const rest = await worker.get(OutboxRelay).relayBatch();
    const total = moved.reduce((sum, { size }) => sum + size, rest.size);
    const { waiting } = await worker.queues.queue('alpha').getJobCounts('waiting');
    expect(waiting).toBe(total);
    expect(await fixture.rows('SELECT 1 FROM outbox WHERE enqueued_at IS NOT NULL')).toHaveLength(
      total,
    );
  });
});

describe('the connections of queues in PostgreSQL', () => {
  it('report nothing when the server ends their sessions while they close', async () => {
    const database = await createDatabase();
    const warn = jest.fn();
    const errors = new ErrorLog({ debug: warn, info: warn, warn, error: warn });
    const listener = new PostgresListener(database.url, errors);
    const backend = new PostgresBackend(
      { databaseUrl: database.url, poolSize: 1 },
      listener,
      errors,
    );
    await backend.ping();
    const server = new pg.Client({ connectionString: database.url });
    await server.connect();
    const sessions = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'trellis-queue'`;
    const { rows } = await server.query<{ pid: number }>(`SELECT pid ${sessions}`);
    const pid = rows[0]?.pid ?? NaN;
    // It finds the signal before the message with which the pool ends the session.
    process.kill(pid, 'SIGSTOP');
    try {
      await server.query('SELECT pg_terminate_backend($1)', [pid]);
      await backend.close();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await eventually(async () => {
      expect((await server.query(`SELECT pid ${sessions}`)).rows).toEqual([]);
    });
    expect(warn.mock.calls).toEqual([]);
    await server.end();
    await database.drop();
  });
});

/** Shortens the pauses between attempts to record that a job has ended. */
function recordSoon(worker: Worker): void {
  const runner = worker.get(OutboxJobRunner);
  expect(runner.retryPausesMs).toEqual([100, 300, 1_000, 2_000]);
  Object.assign(runner, { retryPausesMs: [10, 10] });
}

const ENQUEUED = { enqueued: true };
const REPLICA_WITH_MARK = `
  redis.call('flushall')
  redis.call('mset', 'trellis:marker', 'complete', 'trellis:server', 'another')`;
