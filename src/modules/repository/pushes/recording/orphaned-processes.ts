import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { PushIntent } from '../push-intent.entity.js';

/** How long git on another machine may continue to move refs after its service died. */
const FOREIGN_LEASE_MS = 120_000;
const POLL_MS = 20;

/**
 * Without its service git soon ends by itself, whether or not it moved the refs. A process that hangs gets
 * SIGTERM first: killed at once, it would leave the locks of its refs behind.
 */
const STEPS: readonly { signal: NodeJS.Signals | null; waitMs: number }[] = [
  { signal: null, waitMs: 2_000 },
  { signal: 'SIGTERM', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

/** The name of this machine in intents. */
export const THIS_HOST = hostname();

/**
 * Makes sure that the git process of an interrupted push moves no more refs. A process on this machine is
 * ended; one on another machine is considered dead once its lease has expired. False while the process may
 * still run.
 */
export async function endOrphanedProcess(
  { host, pid, createdAt }: PushIntent,
  repositoryPath: string,
): Promise<boolean> {
  if (host !== THIS_HOST || process.platform !== 'linux') {
    return Date.now() - createdAt.getTime() > FOREIGN_LEASE_MS;
  }
  if (pid === null) return true;
  for (const { signal, waitMs } of STEPS) {
    if (!(await movesRefs(pid, repositoryPath))) return true;
    if (signal !== null) send(pid, signal);
    for (let waited = 0; waited < waitMs; waited += POLL_MS) {
      if (!(await movesRefs(pid, repositoryPath))) return true;
      await delay(POLL_MS);
    }
  }
  return false;
}

/** Whether the process is git moving refs of this repository, rather than another one with the same ID. */
async function movesRefs(pid: number, repositoryPath: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
  const words = commandLine.split('\0');
  return (
    (words.includes('receive-pack') && words.includes(repositoryPath)) ||
    (words.includes('update-ref') && words.includes(`--git-dir=${repositoryPath}`))
  );
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
