import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { GitProcessError, GitTimeoutError, TreeTooLargeError } from '../model/errors.js';
import type { Oid } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import { ensureAttributes } from '../storage/repository-folder.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** Files and folders together. */
const MAX_ENTRIES = 1_000_000;
/** The longest path of file systems, in bytes. */
const MAX_PATH = 4096;
/** The longest time that an archive may take, in milliseconds. */
export const ARCHIVE_LIMIT_MS = 60 * 60_000;

export interface ArchiveOptions {
  commit: Oid;
  format: 'tar' | 'zip';
  /** The name of the top folder, which contains all files. */
  folder: string;
}

/**
 * Opens an archive of the files of a commit. The stream has to be read or destroyed. Each stream has its own
 * process; the caller has to limit their number.
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
  const content = location.openReader(command);
  const timer = setTimeout(() => {
    content.destroy(new GitTimeoutError('archive', ARCHIVE_LIMIT_MS));
  }, ARCHIVE_LIMIT_MS);
  content.once('close', () => clearTimeout(timer));
  await location.unlessRemoved(waitForFirstBytes(content, commit));
  return content;
}

/**
 * Prepares a repository for an archive of a commit, and checks the size of the commit.
 * @throws TreeTooLargeError for more than a million entries, and for paths that no file system takes
 */
async function prepareArchive(location: RepositoryLocation, commit: Oid): Promise<void> {
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
      timeoutMs: location.runtime.limits.requestTimeoutMs,
      signal: tooLarge.signal,
      onStdout: take,
    });
  } catch (error) {
    if (tooLarge.signal.aborted || isTooDeep(error)) throw new TreeTooLargeError(commit);
    throw error;
  }
}

/** Returns whether git failed on deeply nested folders: newer versions have a limit, older ones crash. */
function isTooDeep(error: unknown): boolean {
  if (!(error instanceof GitProcessError)) return false;
  return error.exitCode === null || error.stderr.includes('maximum allowed tree depth');
}

/** Waits for the first bytes, so that an immediate failure is reported as an error, not as a broken stream. */
async function waitForFirstBytes(content: Readable, commit: Oid): Promise<void> {
  if (content.readableLength > 0) return;
  try {
    await once(content, 'readable');
  } catch (error) {
    const isExhausted = error instanceof GitProcessError && error.isExhausted;
    throw isExhausted || isTooDeep(error) ? new TreeTooLargeError(commit) : error;
  }
}
