import { createHash } from 'node:crypto';
import { MAX_ID } from '../../../../platform/database/index.js';

const DIGEST_DIGITS = 32;
const ID_DIGITS = 8;

/**
 * Returns the ID of the discussion of a comment on a commit: 40 hexadecimal digits, of which the last ones are the comment's ID, so
 * that it is found by its key.
 */
export function commitDiscussionIdOf(commentId: number): string {
  const digest = createHash('sha256')
    .update(`commit comment ${String(commentId)}`)
    .digest('hex');
  return digest.slice(0, DIGEST_DIGITS) + commentId.toString(16).padStart(ID_DIGITS, '0');
}

/** Returns the ID of the comment of a discussion; null if no discussion has the ID. */
export function commentOf(discussionId: string): number | null {
  const id = Number.parseInt(discussionId.slice(DIGEST_DIGITS), 16);
  const isId = id > 0 && id <= MAX_ID;
  return isId && commitDiscussionIdOf(id) === discussionId ? id : null;
}
