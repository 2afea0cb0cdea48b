import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { isOid } from './names.js';
import { NewObjects } from './new-objects.js';
import type { ObjectType } from './types.js';

const packed = promisify<Buffer, Buffer>(deflate);
const unpacked = promisify<Buffer, Buffer>(inflate);

/** Lays objects down one by one in a folder that git takes for its objects. */
export async function writeLoose(folder: string, objects: NewObjects): Promise<void> {
  for (const { oid, type, content } of objects.named()) {
    const head = Buffer.from(`${type} ${content.length}\0`);
    await mkdir(join(folder, oid.slice(0, 2)), { recursive: true });
    const file = join(folder, oid.slice(0, 2), oid.slice(2));
    await writeFile(file, await packed(Buffer.concat([head, content])));
  }
}

/** What lies one by one in such a folder. */
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
