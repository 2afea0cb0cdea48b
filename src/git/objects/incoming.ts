import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { GitProcessError, ObjectsRefusedError } from '../model/errors.js';
import { isOid } from '../model/names.js';
import type { ObjectType } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import { ensureFolder, folderSize, missingIfAbsent, syncFolder } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { type NewObject, NewObjects } from './new-objects.js';

const PACK_VERSION = 2;
const PACK_TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const compressed = promisify<Buffer, Buffer>(deflate);
const decompressed = promisify<Buffer, Buffer>(inflate);

export interface Incoming {
  /** The folder of the new objects, which are not visible in the repository. */
  folder: string;
  /** Makes git write new objects there, and read those of the repository as well. */
  environment: Record<string, string>;
}

/**
 * Creates a temporary folder in which git stores new objects, and deletes it when `work` has ended.
 * @param before another such folder, whose objects git reads as well
 * @throws RepositoryMissingError
 */
export async function withIncoming<T>(
  location: RepositoryLocation,
  work: (incoming: Incoming) => Promise<T>,
  before?: Incoming,
): Promise<T> {
  await location.identity();
  const objects = join(location.path, 'objects');
  // Housekeeping deletes folders of this name that killed processes have left.
  const folder = join(objects, `incoming-${randomUUID()}`);
  try {
    await mkdir(folder);
    await mkdir(join(folder, 'pack'));
  } catch (error) {
    throw missingIfAbsent(location.path, error);
  }
  const known = before === undefined ? objects : [objects, before.folder].join(delimiter);
  try {
    return await work({
      folder,
      environment: { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: known },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes loose objects into an object folder. */
export async function writeLoose(folder: string, objects: NewObjects): Promise<void> {
  for (const { oid, type, content } of objects.named()) {
    const head = Buffer.from(`${type} ${content.length}\0`);
    await ensureFolder(join(folder, oid.slice(0, 2)));
    const file = join(folder, oid.slice(0, 2), oid.slice(2));
    await writeFile(file, await compressed(Buffer.concat([head, content])));
  }
}

/** Reads the loose objects of an object folder. */
export async function readLoose(folder: string): Promise<NewObjects> {
  const objects = new NewObjects();
  for (const start of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(start)) continue;
    for (const rest of await readdir(join(folder, start))) {
      if (!isOid(start + rest)) continue;
      const bytes = await decompressed(await readFile(join(folder, start, rest)));
      const end = bytes.indexOf(0);
      const type = bytes.toString('latin1', 0, bytes.indexOf(0x20)) as ObjectType;
      objects.add(type, bytes.subarray(end + 1));
    }
  }
  return objects;
}

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
  head.writeUInt32BE(PACK_VERSION, 4);
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
  let current = (PACK_TYPES[type] << 4) | (content.length & 0x0f);
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
