import type { Readable } from 'node:stream';
import { outputOf } from './child-output.js';
import { gitCommands } from './command-table.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

export interface ArchiveOptions {
  commit: Oid;
  format: 'tar' | 'zip';
  /** The one folder that everything is in. */
  folder: string;
}

/**
 * The files of a commit as `git archive` packs them. The stream must be read or destroyed; there is a
 * bounded number at once.
 * @throws GitBusyError
 */
export async function openArchive(place: Place, options: ArchiveOptions): Promise<Readable> {
  const { launcher, streams, requestTimeoutMs } = place.room;
  await place.identity();
  const { commit, format, folder } = options;
  const command = gitCommands.archive(place.path, commit, format, folder);
  const release = await streams.acquireWithin(requestTimeoutMs);
  try {
    const child = launcher.spawn(command, ['ignore', 'pipe', 'pipe']);
    return outputOf(child, 'archive').once('close', release);
  } catch (error) {
    release();
    throw error;
  }
}
