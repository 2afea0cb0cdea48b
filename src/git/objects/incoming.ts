import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { isOid } from '../model/names.js';
import type { ObjectType } from '../model/types.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { NewObjects } from './new-objects.js';

export interface Incoming {
  /** The folder of the new objects, which are not visible in the repository. */
  folder: string;
  /** Makes git write new objects there, and read those of the repository as well. */
  environment: Record<string, string>;
}

/** Creates a temporary folder in which git stores new objects, and deletes it when `work` has ended. */
export async function withIncoming<T>(
  location: RepositoryLocation,
  work: (incoming: Incoming) => Promise<T>,
): Promise<T> {
  await location.identity();
  const objects = join(location.path, 'objects');
  // Housekeeping deletes folders of this name that killed processes have left.
  const folder = join(objects, `incoming-${randomUUID()}`);
  await mkdir(join(folder, 'pack'), { recursive: true });
  try {
    return await work({
      folder,
      environment: { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const packed = promisify<Buffer, Buffer>(deflate);
const unpacked = promisify<Buffer, Buffer>(inflate);

/** Writes loose objects into an object folder. */
export async function writeLoose(folder: string, objects: NewObjects): Promise<void> {
  for (const { oid, type, content } of objects.named()) {
    const head = Buffer.from(`${type} ${content.length}\0`);
    await mkdir(join(folder, oid.slice(0, 2)), { recursive: true });
    const file = join(folder, oid.slice(0, 2), oid.slice(2));
    await writeFile(file, await packed(Buffer.concat([head, content])));
  }
}

/** Reads the loose objects of an object folder. */
export async function readLoose(folder: string): Promise<NewObjects> {
  const objects = new NewObjects();
  for (const start of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(start)) continue;
    for (const rest of await readdir(join(folder, start))) {
      if (!isOid(start + rest)) continue;
      const bytes = await unpacked(await readFile(join(folder, start, rest)));
      const end = bytes.indexOf(0);
      const type = bytes.toString('latin1', 0, bytes.indexOf(0x20)) as ObjectType;
      objects.add(type, bytes.subarray(end + 1));
    }
  }
  return objects;
}
