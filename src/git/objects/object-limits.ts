import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitProcessError, GitProtocolError } from '../model/errors.js';
import type { ObjectType } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import { isAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { type PackedObject, parsePack } from './packed-objects.js';

/** git reads the sizes of larger packs, and of packs with more objects. */
const SMALL_PACK_BYTES = 256 * 1024;
const SMALL_PACK_OBJECTS = 500;
const LIST_LIMIT_MS = 10 * 60_000;
const LINE = /^(commit|tree|blob|tag) (\d+) ([0-9a-f]{40})$/;

/** The largest sizes of unpacked objects of a push or import, in bytes; Infinity means no limit. */
export interface ObjectLimits extends Readonly<Record<ObjectType, number>> {
  /** Limits the sum of all objects. */
  readonly total: number;
}

/**
 * Checks the sizes of the new objects in a folder. Returns the reason to refuse them: the first object above
 * the limit of its type, or the sum. Returns null when they are within the limits.
 * @param folder an object folder whose packs git has checked and indexed
 */
export async function exceededLimit(
  location: RepositoryLocation,
  folder: string,
  { what, limits }: { what: 'push' | 'import'; limits: ObjectLimits },
): Promise<string | null> {
  const check = new SizeCheck(what, limits);
  const few = await fewObjects(join(folder, 'pack'));
  if (few === null) await listByGit(location, folder, check);
  else for (const object of few) check.add(object);
  return check.reason;
}

class SizeCheck {
  reason: string | null = null;
  private total = 0;

  constructor(
    private readonly what: string,
    private readonly limits: ObjectLimits,
  ) {}

  add({ type, size, oid }: PackedObject): void {
    this.total += size;
    if (this.reason !== null) return;
    const most = this.limits[type];
    if (size > most) {
      this.reason = `The ${type} ${oid} is too large: it has ${bytes(size)}, and at most ${bytes(most)} are allowed.`;
    } else if (this.total > this.limits.total) {
      this.reason = `The ${this.what} is too large: unpacked, it may have at most ${bytes(this.limits.total)}.`;
    }
  }
}

function bytes(count: number): string {
  return `${count.toLocaleString('en-US')} bytes`;
}

/** Returns the objects of the only, small pack of a folder; null when git has to read them. */
async function fewObjects(folder: string): Promise<PackedObject[] | null> {
  try {
    const names = await readdir(folder);
    const [name, ...others] = names.filter((file) => file.endsWith('.pack'));
    if (name === undefined) return [];
    const path = join(folder, name);
    if (others.length > 0 || (await stat(path)).size > SMALL_PACK_BYTES) return null;
    const [pack, index] = await Promise.all([
      readFile(path),
      readFile(path.replace(/\.pack$/, '.idx')),
    ]);
    return parsePack(pack, index, SMALL_PACK_OBJECTS);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Lets git list the sizes, at about half a million objects a second. */
async function listByGit(
  location: RepositoryLocation,
  folder: string,
  check: SizeCheck,
): Promise<void> {
  let rest = '';
  const exceeded = new AbortController();
  const take = (chunk: Buffer): void => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, type, size, oid] = LINE.exec(line) ?? [];
      if (oid === undefined) throw new GitProtocolError(`cat-file answered ${line.slice(0, 100)}`);
      check.add({ type: type as ObjectType, size: Number(size), oid });
    }
    if (check.reason !== null) exceeded.abort();
  };
  try {
    await location.run(gitCommands.listObjects(location.path), {
      timeoutMs: LIST_LIMIT_MS,
      // Without the repository as alternate, whose objects would be listed as well.
      environment: { GIT_OBJECT_DIRECTORY: folder },
      signal: exceeded.signal,
      onStdout: take,
    });
  } catch (error) {
    if (check.reason === null || error instanceof GitProcessError) throw error;
  }
}
