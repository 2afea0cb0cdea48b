import { createHash } from 'node:crypto';
import { MAX_ID } from '../../../platform/database/index.js';

const DIGEST_DIGITS = 32;
const ID_DIGITS = 8;

/** What can begin a discussion. */
type Beginning = 'commit comment' | 'note';

/**
 * Returns the ID of the discussion that a note or comment began: 40 hexadecimal digits, of which the last ones are the ID of what
 * began it, so that it is found by its key.
 */
export function discussionIdFor(kind: Beginning, id: number): string {
  const digest = createHash('sha256')
    .update(`${kind} ${String(id)}`)
    .digest('hex');
  return digest.slice(0, DIGEST_DIGITS) + id.toString(16).padStart(ID_DIGITS, '0');
}

/** Returns the ID of what began a discussion; null if no discussion has the ID. */
export function beginningOf(kind: Beginning, discussionId: string): number | null {
  const id = Number.parseInt(discussionId.slice(DIGEST_DIGITS), 16);
  const isId = id > 0 && id <= MAX_ID;
  return isId && discussionIdFor(kind, id) === discussionId ? id : null;
}
