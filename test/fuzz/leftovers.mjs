// What a service holds while it rests, to be compared with what it holds after conversations.
import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { withDatabase } from '../crash/database.mjs';
import { descendants, until } from '../crash/processes.mjs';
import { TOKEN } from '../crash/service.mjs';
import { ask } from '../hostile/http-client.mjs';

const SETTLE_MS = 30_000;
/** Folders that change, and files that are open for a moment. */
const TOLERATED_DESCRIPTORS = 6;
/** Processes that git keeps for further requests end after a minute; what runs for one client does not stay. */
const KEPT_PROCESSES = /\0(?:cat-file|update-ref|diff-tree|check-attr)\0/;
/** Files of pushes that have not ended, and locks. */
const UNFINISHED = /^(?:incoming-|tmp_|\.tmp-)|\.(?:lock|keep)$/;

/** Figures that are 0 in a service at rest. */
const FIGURES =
  /^trellis_(?:git_processes|git_fetches|database_connections)\{(?!.*state="idle").*\} (\d+)$/gm;

/**
 * Looks at the api's process, its database and its files.
 * @returns numbers by name: each is to be as low again as it was
 */
export async function holdings({ service, pids }, temporary) {
  const pid = pids.api;
  const childIds = await descendants(pid);
  const children = await Promise.all(childIds.map(commandOf));
  const { descriptors, connections } = await openOf(pid);
  const database = await inDatabase(service);
  const kept = (await countStreams(childIds)) + database.connections;
  return {
    'child processes': children.filter((command) => !KEPT_PROCESSES.test(command)).length,
    descriptors: Math.max(0, descriptors - kept - TOLERATED_DESCRIPTORS),
    'connections of clients': connections,
    'database connections in use': database.busy,
    'locks in the database': database.locks,
    'processes with a lease': database.processes,
    'temporary files': (await readdir(temporary)).length,
    'unfinished files': await countUnfinished(path.join(service.dataDir, 'repositories')),
    'slots and processes in the metrics': await heldByMetrics(service.url),
  };
}

/**
 * Waits until a service holds no more than before.
 * @returns what it still holds, in words
 */
export async function leftOf(stage, temporary, before) {
  let left = [];
  await until(
    async () => {
      const after = await holdings(stage, temporary);
      left = Object.keys(before)
        .filter((name) => after[name] > before[name])
        .map((name) => `${name}: ${after[name]}, before ${before[name]}`);
      return left.length === 0;
    },
    SETTLE_MS,
    500,
  );
  return left;
}

const commandOf = (pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');

/** The streams of processes, each of which is open at its other end in the process that has started them. */
async function countStreams(pids) {
  const links = (await Promise.all(pids.map(linksOf))).flat();
  return new Set(links.filter((link) => /^(?:pipe|socket):/.test(link))).size;
}

async function linksOf(pid) {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(path.join(folder, name)).catch(() => '')));
}

/** The descriptors of a process, and those of them that are connections to its ports. */
async function openOf(pid) {
  const links = await linksOf(pid);
  const table = await readFile(`/proc/${pid}/net/tcp`, 'utf8');
  const rows = table
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/\s+/));
  const own = rows.filter((row) => links.includes(`socket:[${row[9]}]`));
  const listening = own
    .filter(([, , , state]) => state === '0A')
    .map(([, address]) => portOf(address));
  const accepted = own.filter(
    ([, address, , state]) => state !== '0A' && listening.includes(portOf(address)),
  );
  return { descriptors: links.length, connections: accepted.length };
}

const portOf = (address) => address.split(':')[1];

async function inDatabase(service) {
  const [row] = await withDatabase(service, (query) =>
    query(`
      SELECT count(*)::int AS connections,
             count(*) FILTER (WHERE state <> 'idle' AND pid <> pg_backend_pid())::int AS busy,
             (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
             (SELECT count(*)::int FROM processes) AS processes
      FROM pg_stat_activity WHERE backend_type = 'client backend'`),
  );
  return row;
}

async function countUnfinished(folder) {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((name) => UNFINISHED.test(path.basename(name))).length;
}

async function heldByMetrics(url) {
  const { text } = await ask(url, { path: '/metrics', token: TOKEN });
  return [...text.matchAll(FIGURES)].reduce((sum, [, value]) => sum + Number(value), 0);
}
