import { rm } from 'node:fs/promises';
import { EmbeddedPostgresError } from '../errors.js';
import { processStamp, readPostmasterFile, serves, waitForEnd } from './process-info.js';
import type { Logger } from './server-log.js';

// A fast shutdown writes everything to disk; an immediate one leaves that to the next start.
const STEPS = [
  { signal: 'SIGINT', patienceMs: 15_000 },
  { signal: 'SIGQUIT', patienceMs: 5_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const;

/** Sends signals of growing severity until a server has ended; false when none helped. */
export async function endServer(pid: number): Promise<boolean> {
  for (const { signal, patienceMs } of STEPS) {
    try {
      process.kill(pid, signal);
    } catch {
      return (await processStamp(pid)) === undefined;
    }
    if (await waitForEnd(pid, patienceMs)) return true;
  }
  return false;
}

/**
 * Clears what a killed service left of its server: the server itself, when it still runs, and its
 * pid file, when that names a process which is no server on this cluster.
 * @throws EmbeddedPostgresError when a server on the cluster cannot be ended
 */
export async function clearOrphan(cluster: string, logger: Logger): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file === undefined) return;
  if ((await processStamp(file.pid)) !== undefined && (await serves(file.pid, cluster))) {
    logger.warn(`Ending PostgreSQL process ${file.pid}, left over from a service that was killed`);
    if (await endServer(file.pid)) return;
    throw new EmbeddedPostgresError(
      `PostgreSQL process ${file.pid} still runs on ${cluster} and cannot be ended: end it by hand, then start again.`,
    );
  }
  // The server itself checks for survivors that share its memory, but would take a stranger that
  // got the same process id, or a dead process nobody collected, for a running server.
  await rm(file.path, { force: true });
}
