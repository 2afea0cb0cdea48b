import type { Config } from '../../platform/config/index.js';
import type { ReplicaProblem, ReplicaState } from '../../platform/database/index.js';
import type { DatabaseReport } from '../probes/database.js';
import { type Check, ok, problem, warning } from './check.js';

/** Beyond the pool: one that listens and renews the lease, and those of the queues when they live in PostgreSQL. */
const LISTENING_CONNECTIONS = 1;
const QUEUE_CONNECTIONS = 4;
const MOST_USED = 0.8;
/** Sessions expire, hooks are retried and jobs become due by the clock. */
const MOST_CLOCK_DIFFERENCE_MS = 5_000;

const POOLED = warning(
  'pooler',
  'a pooler stands between the service and PostgreSQL',
  'set DATABASE_DIRECT_URL to an address that leads past it',
);

/** Checks what the server has said. */
export function checkDatabase(config: Config, report: DatabaseReport, now: Date): Check[] {
  return [
    checkVersion(report),
    ...(report.isPooled ? [POOLED] : []),
    checkMigrations(report),
    checkConnections(config, report),
    checkExtension(report),
    checkEncoding(report),
    checkClock('database-clock', report.clock, now),
  ];
}

/** Older ones do not have `NULLS NOT DISTINCT`. */
const OLDEST_VERSION = 15;

function checkVersion({ version }: DatabaseReport): Check {
  const detail = `PostgreSQL ${version}`;
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return ok('database', detail);
  return problem('database', detail, `upgrade it to ${OLDEST_VERSION} or newer`);
}

function checkMigrations({ pendingMigrations: pending }: DatabaseReport): Check {
  const name = 'migrations';
  if (pending.length === 0) return ok(name, 'the database is up to date');
  const detail = `${pending.length} are pending, the first is ${pending[0]}`;
  return problem(name, detail, 'back up, then run `trellis migrate`');
}

/** One process of each role, as the smallest installation that runs them apart, or the all-in-one. */
function checkConnections(
  { database: { poolSize, pushPoolSize, url }, redisUrl }: Config,
  { maxConnections }: DatabaseReport,
): Check {
  const name = 'connections';
  const queues = redisUrl === undefined ? QUEUE_CONNECTIONS : 0;
  const each = poolSize + pushPoolSize + LISTENING_CONNECTIONS + queues;
  const needed = url === undefined ? each : 2 * each;
  const processes = url === undefined ? 'the process' : 'one api and one worker';
  const detail = `${processes} may open ${needed} of ${maxConnections}`;
  const advice = 'raise max_connections of PostgreSQL, or lower DATABASE_POOL_SIZE';
  if (needed > maxConnections) return problem(name, detail, advice);
  return needed > maxConnections * MOST_USED ? warning(name, detail, advice) : ok(name, detail);
}

function checkExtension({ hasTrigrams, pendingMigrations }: DatabaseReport): Check {
  const name = 'pg_trgm';
  if (hasTrigrams) return ok(name, 'installed');
  if (pendingMigrations.length > 0) return ok(name, 'a migration creates it');
  const advice = 'install the contrib packages of PostgreSQL, then CREATE EXTENSION pg_trgm';
  return problem(name, 'the extension is missing', advice);
}

function checkEncoding({ encoding }: DatabaseReport): Check {
  const name = 'encoding';
  if (encoding === 'UTF8') return ok(name, encoding);
  const advice = "dump the database and load it into one that is created with ENCODING 'UTF8'";
  return problem(name, `the database is in ${encoding}`, advice);
}

/** As far as a standby may be behind for a moment. */
const MOST_LAG_BYTES = 16 * 1024 * 1024;

const REPLICA_ADVICE: Readonly<Record<ReplicaProblem, string>> = {
  unreachable: 'start it, or correct DATABASE_REPLICA_URLS: the primary answers reads meanwhile',
  foreign: 'remove it from DATABASE_REPLICA_URLS: api processes do not start with it',
  primary: 'add the other hosts of the database, or remove this one if it remains the primary',
  blind: 'on the primary: GRANT pg_read_all_stats TO the account in DATABASE_REPLICA_URLS',
  'cut-off': 'have it stream from the primary (primary_conninfo): nothing is read from it',
};

/** Checks the standbys that answer reads. */
export function checkReplicas(replicas: readonly ReplicaState[]): Check[] {
  const isOneUsable = replicas.some(({ problem: found }) => found === undefined);
  return replicas.map(({ name, problem: found, detail, lagBytes }) => {
    const title = `replica ${name}`;
    // After a fail-over, the list still has the server that is now the primary.
    if (found === 'primary' && isOneUsable) return ok(title, detail);
    if (found === 'foreign') return problem(title, detail, REPLICA_ADVICE.foreign);
    if (found !== undefined) return warning(title, detail, REPLICA_ADVICE[found]);
    const advice = 'find out what delays it: nothing is read from a standby that is behind';
    return (lagBytes ?? 0) > MOST_LAG_BYTES ? warning(title, detail, advice) : ok(title, detail);
  });
}

/** Compares a clock with that of this machine. */
export function checkClock(name: string, clock: Date, now: Date): Check {
  const difference = clock.getTime() - now.getTime();
  const seconds = (Math.abs(difference) / 1_000).toFixed(1);
  const detail = `${seconds} s ${difference < 0 ? 'behind' : 'ahead of'} this machine`;
  if (Math.abs(difference) <= MOST_CLOCK_DIFFERENCE_MS) return ok(name, detail);
  return problem(name, detail, 'synchronise the clocks of both machines (NTP)');
}
