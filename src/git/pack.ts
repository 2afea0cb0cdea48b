import { createHash } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { gitCommands } from './command-table.js';
import { GitProcessError, ObjectsRefusedError } from './errors.js';
import { folderSize } from './folder-size.js';
import { withIncoming } from './incoming.js';
import type { NewObject, NewObjects } from './new-objects.js';
import { syncFolder } from './durable-files.js';
import type { RepositoryLocation } from './runtime.js';

const VERSION = 2;
const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const compressed = promisify<Buffer, Buffer>(deflate);

/**
 * Decides whether files of so many bytes may become part of a repository: calls `store`, which puts them
 * there, or throws.
 */
export type Admission = (bytes: number, store: () => Promise<void>) => Promise<void>;

/**
 * Puts new objects into a repository as one pack, checked like those of a push and flushed to disk.
 * Nothing refers to them yet.
 * @throws ObjectsRefusedError when git finds fault with one of them
 * @throws whatever `admit` throws
 */
export async function storeObjects(
  location: RepositoryLocation,
  objects: NewObjects,
  admit?: Admission,
): Promise<void> {
  if (objects.size === 0) return;
  const { requestTimeoutMs: timeoutMs } = location.runtime;
  const input = await packOf(objects.named());
  // git finds some faults only when the pack lies in its place.
  await withIncoming(location, async ({ folder, environment }) => {
    try {
      await location.run(gitCommands.indexPack(location.path), { input, timeoutMs, environment });
    } catch (error) {
      const told = error instanceof GitProcessError ? refusal(error.stderr) : null;
      throw told === null ? error : new ObjectsRefusedError(told);
    }
    await takeOver(join(folder, 'pack'), join(location.path, 'objects', 'pack'), admit);
  });
}

/** Moves a pack into a repository, as far as `admit` lets it. */
export async function takeOver(from: string, to: string, admit?: Admission): Promise<void> {
  const store = (): Promise<void> => movePack(from, to);
  await (admit === undefined ? store() : admit(await folderSize(from), store));
}

/** The index comes last: by it git knows that there is a pack. */
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

/** Type and size: four bits of the size in the first byte, seven in each that follows. */
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

/** What git's check of objects says, without the ids: `gitmodulesUrl: disallowed submodule url`. */
function refusal(stderr: string): string | null {
  return /object [0-9a-f]{40}: (.+)/.exec(stderr)?.[1]?.trim() ?? null;
}
