import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LINUX = process.platform === 'linux';
/** Stands for the start of a process that runs but cannot be looked at. */
const HIDDEN = 'hidden';

const ps = async (pid: number, column: string): Promise<string | undefined> =>
  run('ps', ['-o', `${column}=`, '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );

/**
 * Returns a text that differs between processes that have the same id one after another; undefined if no
 * such process runs. A zombie does not count as running.
 */
export async function processStamp(pid: number): Promise<string | undefined> {
  if (LINUX) return await linuxStamp(pid);
  return answersSignals(pid) ? ((await ps(pid, 'lstart')) ?? HIDDEN) : undefined;
}

/** Whether the process that once had this stamp still runs; true if that cannot be determined. */
export async function stillRuns(pid: number, stamp: string): Promise<boolean> {
  const now = await processStamp(pid);
  return now !== undefined && (now === stamp || now === HIDDEN);
}

/** Whether a process is a server on the given database cluster (an absolute, resolved folder). */
export async function serves(pid: number, cluster: string): Promise<boolean> {
  if (!LINUX) return ((await ps(pid, 'command')) ?? '').includes(cluster);
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (folder !== undefined) return folder === cluster;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.split('\0').includes(cluster);
}

/** Waits until a process has ended; false when it still runs after the given milliseconds. */
export async function waitForEnd(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while ((await processStamp(pid)) !== undefined) {
    if (Date.now() > deadline) return false;
    await delay(25);
  }
  return true;
}

/** What a running server says about itself in its folder's `postmaster.pid`. */
interface PostmasterFile {
  readonly path: string;
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Undefined when there is no such file, or not yet a whole one. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const path = join(cluster, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { path, pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function linuxStamp(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return answersSignals(pid) ? HIDDEN : undefined;
  // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = fields[0] === 'Z' || fields[0] === 'X';
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return ended ? undefined : `${boot.trim()}/${fields[19] ?? ''}`;
}
