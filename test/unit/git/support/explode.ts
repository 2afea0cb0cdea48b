import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../../../../src/git/index.js';
import { git } from './workshop.js';

export async function packsOf(repository: Repository): Promise<string[]> {
  const names = await readdir(join(repository.path, 'objects/pack'));
  return names.filter((name) => name.endsWith('.pack'));
}

/** Lays every object down by itself. */
export async function explode(repository: Repository): Promise<void> {
  const folder = join(repository.path, 'objects/pack');
  for (const name of await packsOf(repository)) {
    const input = await readFile(join(folder, name));
    for (const ending of ['pack', 'idx', 'rev']) {
      await rm(join(folder, name.replace(/pack$/, ending)), { force: true });
    }
    await git(['unpack-objects', '-q'], { cwd: repository.path, input });
  }
}
