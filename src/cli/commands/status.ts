import type { Command } from 'commander';
import { type CommandResult, concludeWith } from '../conclude.js';
import type { PendingWork } from '../status/pending-work.js';
import type { Status } from '../status/status.js';

/** Adds `trellis status`. */
export function addStatus(program: Command): void {
  concludeWith(
    program
      .command('status')
      .description('show database, queue, storages, versions and pending work'),
    runStatus,
  );
}

async function runStatus(): Promise<CommandResult> {
  const { readConfig } = await import('../open.js');
  const { isHealthy, readStatus } = await import('../status/status.js');
  const { formatBytes } = await import('../../platform/monitoring/disk.js');
  const status = await readStatus(readConfig());
  return {
    text: describe(status, formatBytes),
    json: status,
    hasFindings: !isHealthy(status),
  };
}

function describe(status: Status, formatBytes: (bytes: number) => string): string {
  const { database, replicas, queue, storages, versions, work } = status;
  const kind = database.isEmbedded ? 'embedded PostgreSQL' : 'PostgreSQL';
  const rows: [string, string][] = [
    ['database', `${kind}: ${database.isAnswering ? migrated(database) : database.error}`],
    ...replicas.map(({ name, problem, detail }): [string, string] => [
      `replica ${name}`,
      problem === undefined ? detail : `not used: ${detail}`,
    ]),
    [
      'queue',
      `${queue.backend === 'redis' ? 'Redis' : 'PostgreSQL'}: ${queue.isAnswering ? 'answers' : queue.error}`,
    ],
    ...storages.map((storage): [string, string] => [
      `storage ${storage.name}`,
      `${storage.path}: ${storage.isAnswering ? `${formatBytes(storage.freeBytes)} free` : storage.error}`,
    ]),
    [
      'versions',
      Object.entries(versions)
        .filter(([, version]) => version !== null)
        .map(([name, version]) => `${name} ${String(version)}`)
        .join(', '),
    ],
    ...(versions.git === null ? ([['git', 'cannot be run']] as [string, string][]) : []),
    ...(work === null ? ([['pending work', 'unknown']] as [string, string][]) : describeWork(work)),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`).join('\n');
}

function migrated({ pendingMigrations }: { pendingMigrations: readonly string[] }): string {
  const { length } = pendingMigrations;
  return length === 0 ? 'up to date' : `${length} pending migrations, run \`trellis migrate\``;
}

const describeWork = (work: PendingWork): [string, string][] => [
  ...work.jobs.map(({ queue, state, count, hasMore, oldestSeconds }): [string, string] => [
    `jobs ${queue}`,
    `${count}${hasMore ? '+' : ''} ${state}${state === 'delayed' ? '' : `, the oldest for ${Math.round(oldestSeconds)} s`}`,
  ]),
  [
    'deliveries',
    `${work.deliveries.pending}${work.deliveries.hasMorePending ? '+' : ''} pending, the oldest for ${Math.round(work.deliveries.oldestPendingSeconds)} s`,
  ],
  ['interrupted pushes', String(work.interruptedPushes)],
  ['deleted projects', `${work.deletedProjects} to be removed`],
];
