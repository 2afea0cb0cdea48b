import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from './runtime.js';

export interface ObjectCounts {
  packs: number;
  loose: number;
}

export async function countObjects(repository: string): Promise<ObjectCounts> {
  const objects = join(repository, 'objects');
  const packs = (await names(join(objects, 'pack'))).filter((name) => name.endsWith('.pack'));
  let loose = 0;
  for (const folder of await names(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const files = await names(join(objects, folder));
    loose += files.filter((name) => /^[0-9a-f]{38}$/.test(name)).length;
  }
  return { packs: packs.length, loose };
}

/** The names in a folder; none where there is no such folder. */
export function names(folder: string): Promise<string[]> {
  return tolerant(readdir(folder), []);
}

/** Others remove files and folders at the same time. */
export async function tolerant<T, U>(reading: Promise<T>, whenAbsent: U): Promise<T | U> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsent(error)) return whenAbsent;
    throw error;
  }
}
