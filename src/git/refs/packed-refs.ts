import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RefConflictError } from '../model/errors.js';
import { isOid } from '../model/names.js';
import type { Oid, Ref } from '../model/types.js';
import {
  errorCode,
  isAbsent,
  missingIfAbsent,
  syncFolder,
  writeDurably,
} from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** The content of a `packed-refs` file. */
export interface PackedRefs {
  targets: ReadonlyMap<string, Oid>;
  /** The objects behind tag objects, by ref. */
  peeled: ReadonlyMap<string, Oid>;
}

export const NO_PACKED_REFS: PackedRefs = { targets: new Map(), peeled: new Map() };

/** Parses a `packed-refs` file. Ignores unknown lines. */
export function parsePackedRefs(text: string): PackedRefs {
  const targets = new Map<string, Oid>();
  const peeled = new Map<string, Oid>();
  let last: string | null = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('^')) {
      if (last !== null && isOid(line.slice(1))) peeled.set(last, line.slice(1));
      continue;
    }
    const ref = parseRefLine(line);
    last = ref?.name ?? null;
    if (ref) targets.set(ref.name, ref.target);
  }
  return { targets, peeled };
}

function parseRefLine(line: string): Ref | null {
  const target = line.slice(0, 40);
  const name = line.slice(41);
  return line[40] === ' ' && isOid(target) && name.startsWith('refs/') ? { name, target } : null;
}

/**
 * Writes the first refs of a repository in one step as the file `packed-refs`, like `git clone`. The repository
 * must have no refs and no other writer. Does nothing if it has refs.
 * @throws RefConflictError when two of them cannot exist beside each other
 */
export async function writeFirstRefs(
  location: RepositoryLocation,
  refs: readonly Ref[],
): Promise<void> {
  const text = packedRefs(refs);
  // Housekeeping deletes files of this name that killed processes have left.
  const draft = join(location.path, 'objects', `incoming-${randomUUID()}`);
  const target = join(location.path, 'packed-refs');
  try {
    await writeDurably(draft, text);
    await linkIfAbsent(draft, target);
    await syncFolder(location.path);
  } catch (error) {
    throw missingIfAbsent(location.path, error);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Returns the text of the file, without peeled tags: git reads the tag objects instead.
 * @throws RefConflictError when two of the refs cannot exist beside each other
 */
export function packedRefs(refs: readonly Ref[]): string {
  const sorted = refs
    .map((ref) => ({ ...ref, bytes: Buffer.from(ref.name) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const names = new Set(refs.map(({ name }) => name));
  for (const { name } of sorted) {
    const parent = parentsOf(name).find((above) => names.has(above));
    if (parent !== undefined) throw new RefConflictError(name, parent);
  }
  const lines = sorted.map(({ name, target }) => `${target} ${name}\n`);
  return ['# pack-refs with: sorted \n', ...lines].join('');
}

function parentsOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Links the draft to the target, which fails if the target exists, so that one of two writers wins. */
async function linkIfAbsent(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      const { targets } = parsePackedRefs(await readFile(target, 'utf8'));
      if (targets.size > 0) return;
    } else if (isAbsent(error)) {
      throw error;
    }
    // Packing the refs of an empty repository leaves an empty file. Some file systems have no links.
    await rename(draft, target);
  }
}
