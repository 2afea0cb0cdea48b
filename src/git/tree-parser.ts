import { ObjectDamagedError } from './errors.js';
import type { Oid, TreeEntry } from './types.js';

const SPACE = 0x20;
const OID_BYTES = 20;
const MODE_DIGITS = 6;

export type NamedEntry = Omit<TreeEntry, 'path'>;

/** Reads a tree object: `<mode> <name>\0<20 bytes>` for each entry. */
export function parseTree(oid: Oid, content: Buffer): NamedEntry[] {
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
  }
  return entries;
}

function typeOf(mode: string): TreeEntry['type'] {
  if (mode.startsWith('04')) return 'tree';
  return mode.startsWith('16') ? 'commit' : 'blob';
}
