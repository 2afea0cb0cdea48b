import { runPaced } from '../../../platform/async/index.js';
import {
  REFERENCE_CHARACTERS_PER_REQUEST,
  REFERENCE_CHARACTERS_PER_TEXT,
  REFERENCES_MADE_FULL_PER_TEXT,
  UPLOADS_PER_MOVE,
} from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../access/index.js';
import { expandReferences, type MovableText, withMoved } from '../../issuables/index.js';
import type { Upload, UploadsService } from '../../projects/index.js';

/**
 * Rewrites a text for the target project.
 * @throws DomainError not found if the target project is deleted meanwhile; storage limit
 */
export type RewriteText = (text: MovableText) => Promise<MovableText>;

/**
 * Returns a function that rewrites the texts of one move, one after the other: it copies the uploads that they link
 * to and expands their references to the source project. When the budgets are used up, references and links stay
 * unchanged. Each text is a paced step.
 */
export function textRewriter(
  uploads: UploadsService,
  from: ProjectRef,
  to: ProjectRef,
): RewriteText {
  const links = new Map<string, string | null>();
  let left = REFERENCE_CHARACTERS_PER_REQUEST;
  return async ({ text, moved: before }) => {
    await copyUploads(uploads, text, { from, to, links });
    // The link of a copy has the same length, so that the offsets of references stay valid.
    const linked = relinked(text, links);
    left -= Math.min(linked.length, REFERENCE_CHARACTERS_PER_TEXT);
    if (left < 0) return { text: linked, moved: before };
    const expandedBefore = (before ?? []).reduce((sum, { at }) => sum + at.length, 0);
    const most = Math.max(0, REFERENCES_MADE_FULL_PER_TEXT - expandedBefore);
    const expanded = await runPaced(() => expandReferences(linked, from, to, most));
    return { text: expanded.text, moved: withMoved(before, from.id, expanded.added) };
  };
}

/** Copies the uploads of a text and adds their new links; null for those that do not exist. */
async function copyUploads(
  uploads: UploadsService,
  text: string,
  { from, to, links }: { from: ProjectRef; to: ProjectRef; links: Map<string, string | null> },
): Promise<void> {
  if (!text.includes('/uploads/')) return;
  for (const upload of linkedUploads([text])) {
    const link = uploadLink(upload);
    if (links.has(link)) continue;
    if (links.size >= UPLOADS_PER_MOVE) return;
    const copy = await uploads.copy(upload, from.id, to);
    links.set(link, copy && uploadLink(copy));
  }
}

/** The links that `POST /projects/:id/uploads` returns, and nothing that only ends like one. */
const LINK = /(?<![\w.~%-])\/uploads\/([0-9a-f]{32})\/([\p{L}\p{M}\p{Nd}.+_-]+)/gu;

export const uploadLink = ({ secret, name }: Upload): string => `/uploads/${secret}/${name}`;

/** The uploads that texts link to, each once. */
export function linkedUploads(texts: readonly string[]): Upload[] {
  const found = new Map<string, Upload>();
  for (const text of texts) {
    for (const [link, secret = '', name = ''] of text.matchAll(LINK)) {
      found.set(link, { secret, name });
    }
  }
  return [...found.values()];
}

/** Replaces links. @param links new links by old ones; others stay unchanged */
export function relinked(text: string, links: ReadonlyMap<string, string | null>): string {
  return text.replace(LINK, (link) => links.get(link) ?? link);
}
