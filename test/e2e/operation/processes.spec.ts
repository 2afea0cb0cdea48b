import { ProcessesRepository } from '../../../src/platform/cluster/index.js';
import {
  ProcessHeartbeat,
  ProcessStatisticsRepository,
  TrimProcessStatisticsJob,
  trimProcessStatistics,
} from '../../../src/platform/monitoring/index.js';
import { deliveryDuration, jobDuration } from '../../../src/platform/metrics/index.js';
import { QueueFactory } from '../../../src/platform/queue/index.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const PERIOD_MS = 300_000;

describe('The processes of an instance', () => {
  let trellis: Trellis;
  let heartbeat: ProcessHeartbeat;
  let processes: ProcessesRepository;
  let written: ProcessStatisticsRepository;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    heartbeat = trellis.app.get(ProcessHeartbeat);
    processes = trellis.app.get(ProcessesRepository);
    written = trellis.app.get(ProcessStatisticsRepository);
  });
  afterAll(() => trellis.stop());
  beforeEach(() => trellis.rows('TRUNCATE processes, process_statistics'));
  afterEach(async () => {
    jest.restoreAllMocks();
    await heartbeat.stop();
  });

  const first = () => until(async () => (await processes.list())[0]);
  const statistics = () => trellis.rows('SELECT * FROM process_statistics ORDER BY period_start');

  /** Registers a process that renewed its row so many seconds ago. */
  const addSilent = (seconds: number) =>
    trellis.rows(
      `INSERT INTO processes (id, role, version, host, pid, started_at, renewed_at, memory_bytes,
                              event_loop_delay_ms, connections_used, connections_waiting,
                              connections_limit)
       VALUES (gen_random_uuid(), 'worker', '0', 'gone', 1, now(), now() - $1 * interval '1 s',
               1, 0, 0, 0, 10)`,
      [seconds],
    );

  it('have a row each while they run', async () => {
    await heartbeat.start('api');
    expect(await first()).toMatchObject({
      role: 'api',
      version: expect.stringMatching(/^\d+\.\d+\.\d+\+[0-9a-z.]+$/) as string,
      pid: process.pid,
      connectionsLimit: 10,
    });
    const { memoryBytes, silentSeconds, startedAt } = await first();
    expect(memoryBytes).toBeGreaterThan(1_000_000);
    expect(silentSeconds).toBeLessThan(30);
    expect(startedAt.getTime()).toBeLessThan(Date.now());
    await heartbeat.stop();
    expect(await processes.list()).toEqual([]);
  });

  it('renew it with one statement, on a reserved connection', async () => {
    const send = jest.spyOn(trellis.app.get(QueueFactory).listener, 'query');
    const statements = await trellis.statements.during(async () => {
      await heartbeat.start('api', 20);
      await until(() => Promise.resolve(send.mock.calls.length > 3));
    });
    const texts = send.mock.calls.map(([text]) => text);
    expect(texts.every((text) => text.includes('INSERT INTO processes'))).toBe(true);
    expect(statements.filter((text) => text.includes('processes'))).toEqual([]);
    expect(await processes.list()).toHaveLength(1);
  });

  it('remove the rows of killed processes', async () => {
    await addSilent(90);
    await addSilent(121);
    await heartbeat.start('api');
    await until(async () => (await processes.list()).some(({ role }) => role === 'api'));
    expect((await processes.list()).map(({ role }) => role).sort()).toEqual(['api', 'worker']);
  });

  it('continue while the table cannot be written', async () => {
    const renew = jest.spyOn(processes, 'renew').mockRejectedValue(new Error('no database'));
    await heartbeat.start('api', 20);
    await until(async () => renew.mock.calls.length > 2);
    renew.mockRestore();
    expect(await first()).toMatchObject({ role: 'api' });
  });

  it('store statistics for each five minutes', async () => {
    const began = Math.floor(Date.now() / PERIOD_MS) * PERIOD_MS;
    // Real ones may end at any moment.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(began);
    await heartbeat.start('worker', 20);
    await first();
    await fetch(`${trellis.url}/healthz`);
    const job = { queue: 'hooks', job: 'deliver' };
    for (const outcome of ['succeeded', 'failed', 'given_up', 'postponed']) {
      jobDuration.observe({ ...job, outcome }, 1);
    }
    for (const outcome of ['timeout', 'timeout', 'dns']) deliveryDuration.observe({ outcome }, 1);
    clock.mockReturnValue(began + PERIOD_MS + 5);
    await until(async () => (await statistics()).length > 0);
    expect(await statistics()).toEqual([
      expect.objectContaining({
        period_start: new Date(began),
        role: 'worker',
        requests: 1,
        server_errors: 0,
        mean_duration_ms: expect.any(Number) as number,
        slow_duration_ms: expect.any(Number) as number,
        jobs_done: 1,
        jobs_failed: 2,
        deliveries_done: 0,
        deliveries_failed: 3,
      }),
    ]);
  });

  it('store the last statistics at shutdown', async () => {
    await heartbeat.start('worker');
    await first();
    await heartbeat.stop();
    expect(await statistics()).toEqual([
      expect.objectContaining({ requests: 0, mean_duration_ms: null, slow_duration_ms: null }),
    ]);
  });

  it('are summed for charts', async () => {
    const periodStart = new Date(Math.floor(Date.now() / PERIOD_MS) * PERIOD_MS);
    const nothing = { jobsDone: 1, jobsFailed: 0, deliveriesDone: 2, deliveriesFailed: 1 };
    const entry = { ...nothing, periodStart, serverErrors: 1, memoryBytes: 1_000 };
    const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    const busy = { requests: 30, meanDurationMs: 10, slowDurationMs: 50, eventLoopDelayMs: 2 };
    const quiet = { requests: 10, meanDurationMs: 30, slowDurationMs: 40, eventLoopDelayMs: 7 };
    await written.add({ ...entry, ...busy, processId: ids[0]!, role: 'api' });
    await written.add({ ...entry, ...quiet, processId: ids[1]!, role: 'api' });
    // As after a clock was set back.
    await written.add({ ...entry, ...quiet, processId: ids[1]!, role: 'api' });
    expect(await written.list(periodStart)).toEqual([
      {
        periodStart,
        processes: 2,
        requests: 40,
        serverErrors: 2,
        meanDurationMs: 15,
        slowDurationMs: 50,
        eventLoopDelayMs: 7,
        memoryBytes: 2_000,
        jobsDone: 2,
        jobsFailed: 0,
        deliveriesDone: 4,
        deliveriesFailed: 2,
      },
    ]);
    expect(await written.list(new Date(periodStart.getTime() + 1))).toEqual([]);
  });

  it('keep statistics for a day, and remove them in an hourly job', async () => {
    const add = (hours: number, count = 1) =>
      trellis.rows(
        `INSERT INTO process_statistics
         SELECT now() - $1 * interval '1 hour', gen_random_uuid(), 'api', 0, 0, NULL, NULL, 0, 0,
                0, 0, 0, 0 FROM generate_series(1, $2)`,
        [hours, count],
      );
    await add(25.1, 1_001);
    await add(24.9);
    const { signal } = new AbortController();
    await trellis.app.get(TrimProcessStatisticsJob).handle({}, { signal });
    expect(await statistics()).toHaveLength(1);
    expect(trimProcessStatistics.everyMs).toBe(3_600_000);
  });

  it('register with their roles at the start of the service, and unregister at its stop', async () => {
    const worker = ServiceProcess.start('worker', trellis.sharedEnvironment);
    try {
      expect(await first()).toMatchObject({ role: 'worker', pid: worker.pid });
      expect(await worker.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(await processes.list()).toEqual([]);
    } finally {
      await worker.kill('SIGKILL');
    }
  });
});
