import { setImmediate as nextTurn } from 'node:timers/promises';
import { OID_BYTES, SPACE } from './bytes.js';
import { GitProtocolError, ObjectDamagedError } from './errors.js';
import type { Oid, TreeEntry } from './types.js';

const MODE_DIGITS = 6;

/** Entries that are handled before the event loop continues: a folder may have half a million. */
export const ENTRIES_PER_STEP = 2_000;

export type NamedEntry = Omit<TreeEntry, 'path'>;

/**
 * Parses a tree object: `<mode> <name>\0<20 bytes>` for each entry.
 * @throws ObjectDamagedError
 */
export async function parseTree(oid: Oid, content: Buffer): Promise<NamedEntry[]> {
  const entries: NamedEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(SPACE, at);
    const nul = space === -1 ? -1 : content.indexOf(0, space);
    const end = nul + 1 + OID_BYTES;
    if (nul === -1 || end > content.length) throw new ObjectDamagedError(oid);
    const mode = content.toString('latin1', at, space).padStart(MODE_DIGITS, '0');
    entries.push({
      mode,
      type: typeOf(mode),
      name: content.toString('utf8', space + 1, nul),
      oid: content.toString('hex', nul + 1, end),
    });
    at = end;
    if (entries.length % ENTRIES_PER_STEP === 0) await nextTurn();
  }
  return entries;
}

function typeOf(mode: string): TreeEntry['type'] {
  if (mode.startsWith('04')) return 'tree';
  return mode.startsWith('16') ? 'commit' : 'blob';
}

/** The modes of tree entries. */
export const FileMode = {
  TREE: '40000',
  FILE: '100644',
  EXECUTABLE: '100755',
  LINK: '120000',
  SUBMODULE: '160000',
} as const;

export interface RawTreeEntry {
  /** As git writes it in a tree: octal, without leading zeros. */
  mode: string;
  /** The bytes of the name, one character each. */
  name: string;
  oid: Oid;
}

/** Parses a tree object without decoding names, so that the tree can be written again. */
export async function parseRawTree(content: Buffer): Promise<RawTreeEntry[]> {
  const entries: RawTreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(SPACE, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    const next = end + 1 + OID_BYTES;
    if (end < 0 || next > content.length) throw new GitProtocolError('A tree is malformed');
    const mode = content.toString('latin1', at, space);
    entries.push({
      // Old programs wrote a leading zero.
      mode: mode === `0${FileMode.TREE}` ? FileMode.TREE : mode,
      name: content.toString('latin1', space + 1, end),
      oid: content.toString('hex', end + 1, next),
    });
    at = next;
    if (entries.length % ENTRIES_PER_STEP === 0) await nextTurn();
  }
  return entries;
}
