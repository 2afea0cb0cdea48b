import { isOid } from './names.js';
import type { Oid, Ref } from './types.js';

/** What a `packed-refs` file says. */
export interface PackedRefs {
  targets: ReadonlyMap<string, Oid>;
  /** For tags of tag objects: the object they finally point at. */
  peeled: ReadonlyMap<string, Oid>;
}

export const NO_PACKED_REFS: PackedRefs = { targets: new Map(), peeled: new Map() };

/** Lines that are none of the known kinds are passed over. */
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
