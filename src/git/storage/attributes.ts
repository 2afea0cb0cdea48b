import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent, writeDurably } from './files.js';

/**
 * Overrides the attributes of commits: git does not expand placeholders in the files of an archive. A file of
 * 168 KB could expand to 128 MB.
 */
const ATTRIBUTES = '* -export-subst\n';

/**
 * Writes the attributes of the service into a repository that does not have them, because an older version
 * created it. Has to be called before git creates an archive.
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
