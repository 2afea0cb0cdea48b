import { GitProcessError } from '../model/errors.js';
import type { Oid } from '../model/types.js';
import type { GitCommand } from '../process/command-table.js';
import type { RunOptions } from '../process/launcher.js';
import type { WorkKind } from '../process/process-scheduler.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/**
 * Returns whether a repository has some objects and everything reachable from them.
 * @param command walks from the objects on its input, and fails when one is missing
 */
export async function isConnected(
  location: RepositoryLocation,
  command: GitCommand,
  oids: readonly Oid[],
  options: Pick<RunOptions, 'timeoutMs' | 'signal'>,
  kind?: WorkKind,
): Promise<boolean> {
  try {
    const input = oids.map((oid) => `${oid}\n`).join('');
    await location.run(command, { ...options, input }, kind);
    return true;
  } catch (error) {
    if (error instanceof GitProcessError && error.exitCode !== null) return false;
    throw error;
  }
}
