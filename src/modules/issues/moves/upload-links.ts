import type { Upload } from '../../projects/index.js';

/** As `POST /projects/:id/uploads` answers them, and nothing that only ends like one. */
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
