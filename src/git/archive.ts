import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ensureAttributes } from './attributes.js';
import { outputOf } from './child-output.js';
import { gitCommands } from './command-table.js';
import { GitProcessError, GitTimeoutError, TreeTooLargeError } from './errors.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

/** Files and folders together. */
const MAX_ENTRIES = 1_000_000;
/** As long as file systems take it; bytes. */
const MAX_PATH = 4096;
/** An archive that takes longer is broken off; milliseconds. */
export const ARCHIVE_LIMIT_MS = 60 * 60_000;

export interface ArchiveOptions {
  commit: Oid;
  format: 'tar' | 'zip';
  /** The one folder that everything is in. */
  folder: string;
}

/**
 * The files of a commit as `git archive` packs them. The stream must be read or destroyed; each has a
 * process, whose number the caller has to bound.
 * @throws TreeTooLargeError
 */
export async function openArchive(
  location: RepositoryLocation,
  options: ArchiveOptions,
): Promise<Readable> {
  await location.identity();
  const { commit, format, folder } = options;
  const command = gitCommands.archive(location.path, commit, format, folder);
  await prepareArchive(location, commit);
  const child = location.runtime.launcher.spawn(command, ['ignore', 'pipe', 'pipe']);
  const content = outputOf(child, 'archive', location.runtime.streamIdleMs);
  const timer = setTimeout(() => {
    content.destroy(new GitTimeoutError('archive', ARCHIVE_LIMIT_MS));
  }, ARCHIVE_LIMIT_MS);
  content.once('close', () => clearTimeout(timer));
  await begun(content, commit);
  return content;
}

/**
 * What has to be true of a repository and a commit before git may make an archive of it.
 * @throws TreeTooLargeError for more than a million entries, and for paths that no file system takes
 */
export async function prepareArchive(location: RepositoryLocation, commit: Oid): Promise<void> {
  await ensureAttributes(location.path);
  const tooLarge = new AbortController();
  let entries = 0;
  let length = 0;
  const take = (chunk: Buffer): void => {
    let at = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, at)) {
      entries += 1;
      if (length + end - at > MAX_PATH) tooLarge.abort();
      length = 0;
      at = end + 1;
    }
    length += chunk.length - at;
    if (entries > MAX_ENTRIES || length > MAX_PATH) tooLarge.abort();
  };
  try {
    await location.run(gitCommands.listPaths(location.path, commit), {
      timeoutMs: location.runtime.requestTimeoutMs,
      signal: tooLarge.signal,
      onStdout: take,
    });
  } catch (error) {
    if (tooLarge.signal.aborted || isTooDeep(error)) throw new TreeTooLargeError(commit);
    throw error;
  }
}

/** Newer versions of git have a limit of their own, older ones end by a signal. */
function isTooDeep(error: unknown): boolean {
  if (!(error instanceof GitProcessError)) return false;
  return error.exitCode === null || error.stderr.includes('maximum allowed tree depth');
}

/** Waits for the first bytes, so that what fails at once is answered and not broken off. */
async function begun(content: Readable, commit: Oid): Promise<void> {
  if (content.readableLength > 0) return;
  try {
    await once(content, 'readable');
  } catch (error) {
    const isExhausted = error instanceof GitProcessError && error.isExhausted;
    throw isExhausted || isTooDeep(error) ? new TreeTooLargeError(commit) : error;
  }
}
