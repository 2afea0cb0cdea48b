import type { VNode } from 'preact';
import { KIB } from '../../../../platform/limits/index.js';

/** Of one text that a page shows, and of the changes that it shows: what is rendered makes other requests wait. */
export const CHARACTERS_PER_PAGE = 256 * KIB;

/** A text of a user, as it was written. */
export function Text({ text }: { readonly text: string | null }): VNode | null {
  if (text === null || text === '') return null;
  return (
    <>
      <div class="text card">{text.slice(0, CHARACTERS_PER_PAGE)}</div>
      {text.length > CHARACTERS_PER_PAGE && (
        <p class="notice warn">The text goes on; the API has all of it.</p>
      )}
    </>
  );
}
