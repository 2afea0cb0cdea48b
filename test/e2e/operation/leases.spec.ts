import pg from 'pg';
import { ProcessLease } from '../../../src/platform/cluster/index.js';
import { ProcessHeartbeat } from '../../../src/platform/monitoring/index.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(60_000);

/** Instead of the least that can be configured. */
const LEASE_MS = 900;

const SILENT = '00000000-0000-4000-8000-00000000dead';

describe('The leases of processes', () => {
  let trellis: Trellis;
  let heartbeat: ProcessHeartbeat;
  let lease: ProcessLease;

  beforeAll(async () => {
    trellis = await Trellis.start({
      because: 'end of a process',
      env: { PROCESS_LEASE_SECONDS: '3' },
    });
    heartbeat = trellis.app.get(ProcessHeartbeat);
    lease = trellis.app.get(ProcessLease);
    expect(lease.durationMs).toBe(3_000);
    Object.assign(lease, { durationMs: LEASE_MS });
  });
  afterAll(() => trellis.stop());
  afterEach(async () => {
    await heartbeat.stop();
    await trellis.rows('DELETE FROM processes');
  });

  const addSilent = (leaseMs: number | null, machine: string | null) =>
    trellis.rows(
      `INSERT INTO processes (id, role, version, host, pid, started_at, renewed_at, memory_bytes,
                              event_loop_delay_ms, connections_used, connections_waiting,
                              connections_limit, machine, epoch, lease_ms)
       VALUES ($1, 'api', '0', 'gone', 1, now(), now() - interval '20 s', 1, 0, 0, 0, 10, $2, 7, $3)`,
      [SILENT, machine, leaseMs],
    );
  const epochOf = async (id: string) => {
    const [row] = await trellis.rows<{ epoch: number }>(
      'SELECT epoch FROM processes WHERE id = $1',
      [id],
    );
    return row?.epoch;
  };
  const fencedAt = (id: string) =>
    trellis.rows<{ at: Date | null }>('SELECT fenced_at AS at FROM processes WHERE id = $1', [id]);

  it('are taken over once, with the sessions of their processes, by a process with a valid lease', async () => {
    await addSilent(15_000, 'another');
    const connect = async (name: string) => {
      const session = new pg.Client({ connectionString: trellis.databaseUrl });
      session.on('error', () => undefined);
      await session.connect();
      await session.query(`SET application_name = '${name}'`);
      return session;
    };
    const [own, other] = [await connect(`trellis ${SILENT}`), await connect('trellis other')];
    const ended = new Promise<void>((resolve) => own.once('end', resolve));
    const takenOver = jest.fn();
    lease.whenTakenOver(takenOver);
    const started = performance.now();
    await heartbeat.start('api', 20);
    await ended;
    // The others may not have been able to renew theirs either, until the database was back.
    expect(performance.now() - started).toBeGreaterThan(LEASE_MS - 100);
    expect(await epochOf(SILENT)).toBe(8);
    expect(await other.query('SELECT 1')).toMatchObject({ rowCount: 1 });
    const [first] = await fencedAt(SILENT);
    await lease.fenceSilent();
    expect(await fencedAt(SILENT)).toEqual([first]);
    expect(takenOver).toHaveBeenCalledTimes(1);
    expect(await lease.isOver({ processId: SILENT, epoch: 7 })).toBe(true);
    // As when the clock of the database was set, or all machines were suspended: all get the time to renew theirs again.
    // Not while a renewal is under way, which would not see it.
    const setBack = performance.now();
    await trellis.rows(
      `DO $$ BEGIN
         LOCK TABLE processes IN EXCLUSIVE MODE;
         UPDATE processes SET renewed_at = renewed_at - interval '20 s', fenced_at = NULL;
       END $$`,
    );
    await lease.fenceSilent();
    await until(async () => (await epochOf(SILENT)) === 9);
    expect(performance.now() - setBack).toBeGreaterThan(LEASE_MS - 100);
    await other.end();
    await trellis.rows('DELETE FROM processes WHERE id = $1', [SILENT]);
  });

  it('do not exist for processes of an older version', async () => {
    await addSilent(null, null);
    await heartbeat.start('api', 20);
    // Others may be fenced from the time of a lease after the first renewal on.
    began = new Date();
    const { id } = lease.identity;
    await until(async () => (await renewals(id)) > LEASE_MS + 50);
    await lease.fenceSilent();
    expect(await epochOf(SILENT)).toBe(7);
    // What it may be is not known: it counts as another machine.
    expect(lease.hasPeers).toBe(true);
    await trellis.rows('DELETE FROM processes WHERE id = $1', [SILENT]);
    await until(() => Promise.resolve(!lease.hasPeers));
  });

  /** For how long a process has renewed its lease; milliseconds. */
  const renewals = async (id: string) => {
    const [row] = await trellis.rows<{ ms: number }>(
      `SELECT extract(epoch FROM renewed_at - $2::timestamptz)::float8 * 1000 AS ms
         FROM processes WHERE id = $1`,
      [id, began],
    );
    return row?.ms ?? 0;
  };
  let began: Date;
  beforeEach(() => {
    began = new Date();
  });

  it('expire for a process considered dead, which starts its next epoch', async () => {
    const lost = jest.fn();
    lease.whenLost(lost);
    await heartbeat.start('api', 20);
    const { owner } = lease;
    if (owner === null) throw new Error('There is no lease');
    expect(await lease.isOver(owner)).toBe(false);
    await trellis.rows('UPDATE processes SET epoch = epoch + 1 WHERE id = $1', [owner.processId]);
    expect(await lease.isOver(owner)).toBe(true);
    await until(() => Promise.resolve(lost.mock.calls.length === 1));
    expect(lease.owner).toEqual({ ...owner, epoch: owner.epoch + 1 });
    // As when its row has expired.
    await trellis.rows('DELETE FROM processes');
    await until(() => Promise.resolve(lost.mock.calls.length === 2));
    expect(lease.owner).toEqual({ ...owner, epoch: owner.epoch + 2 });
    await heartbeat.stop();
    expect(lease.owner).toBeNull();
    expect(await epochOf(owner.processId)).toBeUndefined();
  });
});
