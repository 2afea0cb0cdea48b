import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from './durable-files.js';
import { isAbsent } from './file-errors.js';

/**
 * What outweighs the attributes that a commit brings itself: no placeholder in a file is filled in when an
 * archive is made. A file of 168 KB could ask for 128 MB that way.
 */
const ATTRIBUTES = '* -export-subst\n';

/**
 * Puts the service's own attributes into a repository unless they are there: older versions made it
 * without them. To be called before git makes an archive of it, whoever asked for that.
 */
export async function ensureAttributes(repository: string): Promise<void> {
  const folder = join(repository, 'info');
  const path = join(folder, 'attributes');
  if ((await textOf(path)) === ATTRIBUTES) return;
  await mkdir(folder, { recursive: true });
  const draft = join(repository, 'objects', `incoming-${randomUUID()}`);
  try {
    await writeDurably(draft, ATTRIBUTES);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
