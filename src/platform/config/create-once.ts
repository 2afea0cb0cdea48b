import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const hasCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException).code === code;

/** Makes a folder's entries (a file created, renamed or removed in it) survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Writes a new file for its owner alone, on the disk when this returns. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A new name beside a file, for a complete copy that is then put in its place. */
function draftOf(path: string): string {
  return `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
}

/** Replaces a file as a whole: after a crash it has the old text or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeNewFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Reads a file, and creates it first if it is missing. A complete copy is linked into place, so that of
 * several processes that create it at the same time one wins and all return its text.
 */
export async function createOnce(path: string, make: () => string): Promise<string> {
  const present = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (present !== undefined) return present;
  const draft = draftOf(path);
  try {
    await writeNewFile(draft, make());
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return await readFile(path, 'utf8');
}
