import type { GitCommand } from './command-table.js';
import { GitProcessError } from './errors.js';
import type { RunOptions } from './launcher.js';
import type { WorkKind } from './process-scheduler.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

/**
 * Whether a repository holds objects with all that they lead to.
 * @param command walks from the objects that it reads, and fails where one is missing
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
