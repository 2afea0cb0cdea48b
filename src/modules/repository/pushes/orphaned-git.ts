import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { PushIntent } from './push-intent.entity.js';

/** How long git on another machine may go on moving refs after its service died. */
const FOREIGN_LEASE_MS = 120_000;
const POLL_MS = 20;

/**
 * Without its service git soon ends by itself, the refs moved or not. What hangs is asked first:
 * killed outright, it would leave the locks of its refs behind.
 */
const STEPS: readonly { signal: NodeJS.Signals | null; patienceMs: number }[] = [
  { signal: null, patienceMs: 2_000 },
  { signal: 'SIGTERM', patienceMs: 2_000 },
  { signal: 'SIGKILL', patienceMs: 1_000 },
];

/** The name under which this machine writes intents. */
export const thisHost = hostname();

/**
 * Makes sure that the git process of a dead push moves no more refs: ends it when it runs on this
 * machine, waits out its time when it ran on another. False while it may still be running.
 */
export async function endOrphan(
  { host, pid, createdAt }: PushIntent,
  repositoryPath: string,
): Promise<boolean> {
  if (host !== thisHost || process.platform !== 'linux') {
    return Date.now() - createdAt.getTime() > FOREIGN_LEASE_MS;
  }
  if (pid === null) return true;
  for (const { signal, patienceMs } of STEPS) {
    if (!(await movesRefs(pid, repositoryPath))) return true;
    if (signal !== null) send(pid, signal);
    for (let waited = 0; waited < patienceMs; waited += POLL_MS) {
      if (!(await movesRefs(pid, repositoryPath))) return true;
      await delay(POLL_MS);
    }
  }
  return false;
}

/** Guards against a process ID that was given to something else since. */
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
    // It ended by itself in the meantime.
  }
}
