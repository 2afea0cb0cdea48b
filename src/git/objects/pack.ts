import { createHash } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { GitProcessError, ObjectsRefusedError } from '../model/errors.js';
import { gitCommands } from '../process/command-table.js';
import { syncFolder } from '../storage/files.js';
import { folderSize } from '../storage/folder-size.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { withIncoming } from './incoming.js';
import type { NewObject, NewObjects } from './new-objects.js';

const VERSION = 2;
const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const compressed = promisify<Buffer, Buffer>(deflate);

/**
 * Decides whether files of a size may be added to a repository: calls `store`, which adds them, or throws.
 */
export type Admission = (bytes: number, store: () => Promise<void>) => Promise<void>;

/**
 * Stores new objects in a repository as one pack, checked like a push and flushed to disk. No ref points at
 * them yet.
 * @throws ObjectsRefusedError when the checks of git refuse an object
 * @throws whatever `admit` throws
 */
export async function storeObjects(
  location: RepositoryLocation,
  objects: NewObjects,
  admit?: Admission,
): Promise<void> {
  if (objects.size === 0) return;
  const { requestTimeoutMs: timeoutMs } = location.runtime.limits;
  const input = await packOf(objects.named());
  // git runs some checks only after it has put the pack into the object folder, so that is a temporary one.
  await withIncoming(location, async ({ folder, environment }) => {
    try {
      await location.run(gitCommands.indexPack(location.path), { input, timeoutMs, environment });
    } catch (error) {
      const reason = error instanceof GitProcessError ? refusal(error.stderr) : null;
      throw reason === null ? error : new ObjectsRefusedError(reason);
    }
    await installPack(join(folder, 'pack'), join(location.path, 'objects', 'pack'), admit);
  });
}

/** Moves a pack into a repository if `admit` allows it. */
export async function installPack(from: string, to: string, admit?: Admission): Promise<void> {
  const store = (): Promise<void> => movePack(from, to);
  await (admit === undefined ? store() : admit(await folderSize(from), store));
}

/** Moves the files of a pack, the index last, since git finds a pack by its index. */
async function movePack(from: string, to: string): Promise<void> {
  const names = await readdir(from);
  const isIndex = (name: string): boolean => name.endsWith('.idx');
  const inOrder = [...names.filter((name) => !isIndex(name)), ...names.filter(isIndex)];
  for (const name of inOrder) await rename(join(from, name), join(to, name));
  await syncFolder(to);
}

async function packOf(objects: readonly NewObject[]): Promise<Buffer> {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(VERSION, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [head];
  for (const object of objects) parts.push(entryHead(object), await compressed(object.content));
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Encodes type and size: four bits of the size in the first byte, seven in each following byte. */
function entryHead({ type, content }: NewObject): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(content.length / 16);
  let current = (TYPES[type] << 4) | (content.length & 0x0f);
  while (rest > 0) {
    bytes.push(current | 0x80);
    current = rest & 0x7f;
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, current]);
}

/** Extracts the message of the object check without ids: `gitmodulesUrl: disallowed submodule url`. */
function refusal(stderr: string): string | null {
  return /object [0-9a-f]{40}: (.+)/.exec(stderr)?.[1]?.trim() ?? null;
}
