import { formatBytes } from '../../platform/monitoring/disk.js';
import { describeUnattended } from '../../platform/cluster/unattended-jobs.query.js';
import type { PendingWork } from './pending-work.js';
import type { FolderStatus, Status } from './status.js';

/** Formats the state of an instance for people, a line for each part. */
export function describeStatus(status: Status): string {
  const { database, replicas, queue, dataDir, storages, versions, work } = status;
  const kind = database.isEmbedded ? 'embedded PostgreSQL' : 'PostgreSQL';
  const room = (folder: FolderStatus): string => {
    if (!folder.isAnswering) return `${folder.path}: ${folder.error}`;
    const free = `${folder.path}: ${formatBytes(folder.freeBytes)} free`;
    return folder.problem === null
      ? free
      : `${free}, but nothing can be written: ${folder.problem}`;
  };
  const rows: [string, string][] = [
    ...row(status.isRestoreIncomplete, 'restore', RESTORE),
    ['database', `${kind}: ${database.isAnswering ? migrated(database) : database.error}`],
    ...replicas.map(({ name, problem, detail }): [string, string] => [
      `replica ${name}`,
      problem === undefined ? detail : `not used: ${detail}`,
    ]),
    [
      'queue',
      `${queue.backend === 'redis' ? 'Redis' : 'PostgreSQL'}: ${queue.isAnswering ? 'answers' : queue.error}`,
    ],
    ['data folder', room(dataDir)],
    ...storages.map((storage): [string, string] => [`storage ${storage.name}`, room(storage)]),
    ...describeRepositories(status),
    [
      'versions',
      Object.entries(versions)
        .filter(([, version]) => version !== null)
        .map(([name, version]) => `${name} ${String(version)}`)
        .join(', '),
    ],
    ...row(versions.git === null, 'git', 'cannot be run'),
    ...(work === null ? row(true, 'pending work', 'unknown') : describeWork(work)),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`).join('\n');
}

const RESTORE =
  'was interrupted, so that the data is incomplete: repeat `trellis restore` with --force';

const row = (isShown: boolean, name: string, text: string): [string, string][] =>
  isShown ? [[name, text]] : [];

function describeRepositories({ unreachableRepositories, work }: Status): [string, string][] {
  if (unreachableRepositories === null) {
    return row(work !== null, 'repositories', 'the storages do not answer');
  }
  const [first] = unreachableRepositories;
  if (first === undefined) return [];
  const { length } = unreachableRepositories;
  const others = length === 1 ? '' : `, and ${length - 1} more`;
  const where = first.path === undefined ? '' : ` (${first.path})`;
  return [['repositories', `${first.project}: ${first.reason}${where}${others}`]];
}

function migrated({ pendingMigrations }: { pendingMigrations: readonly string[] }): string {
  const { length } = pendingMigrations;
  return length === 0 ? 'up to date' : `${length} pending migrations, run \`trellis migrate\``;
}

const describeWork = ({
  jobs,
  unattendedJobs,
  deliveries,
  interruptedPushes,
  deletedProjects,
}: PendingWork): [string, string][] => [
  ...jobs.map(({ queue, state, count, hasMore, oldestSeconds }): [string, string] => [
    `jobs ${queue}`,
    pending({ count, hasMore, state, seconds: state === 'delayed' ? null : oldestSeconds }),
  ]),
  ...(unattendedJobs === null ? [] : row(true, 'worker', describeUnattended(unattendedJobs))),
  [
    'deliveries',
    pending({
      count: deliveries.pending,
      hasMore: deliveries.hasMorePending,
      state: 'pending',
      seconds: deliveries.pending === 0 ? null : deliveries.oldestPendingSeconds,
    }),
  ],
  ['interrupted pushes', String(interruptedPushes)],
  ['deleted projects', `${deletedProjects} to be removed`],
];

/** @param counted.seconds how long the oldest waits; null if none does */
function pending(counted: {
  count: number;
  hasMore: boolean;
  state: string;
  seconds: number | null;
}): string {
  const { count, hasMore, state, seconds } = counted;
  const number = `${count}${hasMore ? '+' : ''} ${state}`;
  return seconds === null ? number : `${number}, the oldest for ${Math.round(seconds)} s`;
}
