import type { Config } from '../../platform/config/index.js';
import { programVersion } from '../../platform/config/index.js';
import { gitVersion } from '../../git/index.js';
import { type DatabaseReport, findDatabase, probeDatabase } from '../probes/database.js';
import type { ReplicaState } from '../../platform/database/index.js';
import type { UnreachableRepository } from '../../modules/storage/index.js';
import {
  describeFileError,
  type DiskReport,
  probeDisk,
  testWrite,
} from '../../platform/monitoring/disk.js';
import { isRestoreIncomplete } from '../../bootstrap/restore-marker.js';
import { probeReplicas } from '../probes/replicas.js';
import type { RedisReport } from '../probes/redis.js';
import { reasonOf, withinLimit } from '../probes/time-limit.js';
import { checkRepositories } from './check-repositories.js';
import { countPendingWork, type PendingWork } from './pending-work.js';

/** The answer of a part of the service, or why there is none. */
type Probed<T> =
  ({ readonly isAnswering: true } & T) | { readonly isAnswering: false; error: string };

/** A folder, its room, and why no file can be written there if that is so. */
export type FolderStatus = { readonly path: string } & Probed<
  DiskReport & { problem: string | null }
>;

/** The state of a whole instance. */
export interface Status {
  /** Whether a restore was interrupted, or is under way: rows and files do not belong together. */
  readonly isRestoreIncomplete: boolean;
  readonly database: { readonly isEmbedded: boolean } & Probed<DatabaseReport>;
  /** The standbys that answer reads; empty also when the database does not answer. */
  readonly replicas: readonly ReplicaState[];
  readonly queue: { readonly backend: 'postgres' | 'redis' } & Probed<Partial<RedisReport>>;
  readonly dataDir: FolderStatus;
  readonly storages: readonly ({ readonly name: string } & FolderStatus)[];
  /** Repositories of the projects used last that cannot be used; null when the database could not be asked. */
  readonly unreachableRepositories: readonly UnreachableRepository[] | null;
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
  const [isIncomplete, database, redis, git, dataDir, storages] = await Promise.all([
    isRestoreIncomplete(config.dataDir),
    probe(() => (url === undefined ? notRunning(config) : probeDatabase(url))),
    redisUrl === undefined ? null : probe(() => askRedisServer(redisUrl)),
    gitVersion().catch(() => null),
    probeFolder(config.dataDir),
    Promise.all(
      [...config.storages].map(async ([name, path]) => ({ name, ...(await probeFolder(path)) })),
    ),
  ]);
  const replicas = url === undefined ? [] : probeReplicas(config, url).catch(() => []);
  const isReadable = database.isAnswering && database.pendingMigrations.length === 0;
  const readableUrl = isReadable ? url : undefined;
  const [work, unreachableRepositories] = await Promise.all([
    readableUrl === undefined ? null : countPendingWork(readableUrl).catch(() => null),
    readableUrl === undefined ? null : checkRepositories(config, readableUrl).catch(() => null),
  ]);
  return {
    isRestoreIncomplete: isIncomplete,
    database: { isEmbedded: config.database.url === undefined, ...database },
    replicas: await replicas,
    queue:
      redis === null
        ? { backend: 'postgres', ...withoutReport(database) }
        : { backend: 'redis', ...redis },
    dataDir,
    storages,
    unreachableRepositories,
    versions: {
      trellis: programVersion(),
      node: process.version.slice(1),
      git,
      postgres: database.isAnswering ? database.version : null,
      redis: redis?.isAnswering === true ? redis.version : null,
    },
    work,
  };
}

/**
 * Whether every part answers, the database is as new as the program, files can be written, repositories are there, and some
 * process runs the jobs.
 */
export function isHealthy(status: Status): boolean {
  const { database, queue, dataDir, storages, unreachableRepositories, versions, work } = status;
  const areWritable = [dataDir, ...storages].every(
    (folder) => folder.isAnswering && folder.problem === null,
  );
  const areAnswering = database.isAnswering && queue.isAnswering && versions.git !== null;
  const isAttended = work !== null && work.unattendedJobs === null;
  const areReachable = unreachableRepositories?.length === 0;
  const isWhole = !status.isRestoreIncomplete;
  return areAnswering && areWritable && isAttended && areReachable && isWhole;
}

async function probeFolder(path: string): Promise<FolderStatus> {
  const probed = await probe(async () => {
    const disk = await probeDisk(path);
    return { ...disk, problem: await testWrite(path).then(() => null, describeFileError) };
  });
  return { path, ...probed };
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
