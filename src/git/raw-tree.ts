import { GitProtocolError } from './errors.js';
import { FileMode, type RawTreeEntry } from './new-objects.js';

const SPACE = 0x20;
const OID_BYTES = 20;

/** The entries of a tree object with their names' very bytes, so that it can be written again. */
export function parseRawTree(content: Buffer): RawTreeEntry[] {
  const entries: RawTreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(SPACE, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    const next = end + 1 + OID_BYTES;
    if (end < 0 || next > content.length) throw new GitProtocolError('A tree is malformed');
    const mode = content.toString('latin1', at, space);
    entries.push({
      // Old programs wrote it with a leading zero.
      mode: mode === `0${FileMode.TREE}` ? FileMode.TREE : mode,
      name: content.toString('latin1', space + 1, end),
      oid: content.toString('hex', end + 1, next),
    });
    at = next;
  }
  return entries;
}
