import type { Config } from '../../platform/config/index.js';
import { programVersion } from '../../platform/config/index.js';
import { gitVersion } from '../../git/index.js';
import { type DatabaseReport, findDatabase, probeDatabase } from '../probes/database.js';
import type { ReplicaState } from '../../platform/database/index.js';
import { type DiskReport, probeDisk } from '../../platform/monitoring/disk.js';
import { probeReplicas } from '../probes/replicas.js';
import type { RedisReport } from '../probes/redis.js';
import { reasonOf, withinLimit } from '../probes/time-limit.js';
import { countPendingWork, type PendingWork } from './pending-work.js';

/** The answer of a part of the service, or why there is none. */
type Probed<T> =
  ({ readonly isAnswering: true } & T) | { readonly isAnswering: false; error: string };

/** The state of a whole instance. */
export interface Status {
  readonly database: { readonly isEmbedded: boolean } & Probed<DatabaseReport>;
  /** The standbys that answer reads; empty also when the database does not answer. */
  readonly replicas: readonly ReplicaState[];
  readonly queue: { readonly backend: 'postgres' | 'redis' } & Probed<Partial<RedisReport>>;
  readonly storages: readonly ({
    readonly name: string;
    readonly path: string;
  } & Probed<DiskReport>)[];
  readonly versions: Readonly<
    Record<'trellis' | 'node' | 'git' | 'postgres' | 'redis', string | null>
  >;
  /** Null when it could not be counted. */
  readonly work: PendingWork | null;
}

/** Asks all parts of the service at the same time, each within the limit of probes. */
export async function readStatus(config: Config): Promise<Status> {
  const url = await findDatabase(config);
  const { redisUrl } = config;
  const [database, redis, git, storages] = await Promise.all([
    probe(() => (url === undefined ? notRunning(config) : probeDatabase(url))),
    redisUrl === undefined ? null : probe(() => askRedisServer(redisUrl)),
    gitVersion().catch(() => null),
    Promise.all(
      [...config.storages].map(async ([name, path]) => ({
        ...{ name, path },
        ...(await probe(() => probeDisk(path))),
      })),
    ),
  ]);
  const replicas = url === undefined ? [] : probeReplicas(config, url).catch(() => []);
  const isReadable = database.isAnswering && database.pendingMigrations.length === 0;
  return {
    database: { isEmbedded: config.database.url === undefined, ...database },
    replicas: await replicas,
    queue:
      redis === null
        ? { backend: 'postgres', ...withoutReport(database) }
        : { backend: 'redis', ...redis },
    storages,
    versions: {
      trellis: programVersion(),
      node: process.version.slice(1),
      git,
      postgres: database.isAnswering ? database.version : null,
      redis: redis?.isAnswering === true ? redis.version : null,
    },
    work: isReadable && url !== undefined ? await countPendingWork(url).catch(() => null) : null,
  };
}

/** Whether every part answers, and the database is as new as the program. */
export function isHealthy({ database, queue, storages, versions, work }: Status): boolean {
  const areAnswering = [database, queue, ...storages].every(({ isAnswering }) => isAnswering);
  return areAnswering && versions.git !== null && work !== null;
}

async function probe<T>(ask: () => Promise<T>): Promise<Probed<T>> {
  try {
    return { isAnswering: true, ...(await withinLimit(ask())) };
  } catch (error) {
    return { isAnswering: false, error: reasonOf(error) };
  }
}

async function askRedisServer(url: string): Promise<RedisReport> {
  const { probeRedis } = await import('../probes/redis.js');
  return probeRedis(url);
}

const withoutReport = (probed: Probed<object>): Probed<object> =>
  probed.isAnswering ? { isAnswering: true } : { isAnswering: false, error: probed.error };

function notRunning({ dataDir }: Config): never {
  throw new Error(`the embedded server of ${dataDir} is not running`);
}
