import { MAX_ID } from '../../platform/http/index.js';

/** How a path names a project: by number, or by namespace and path (open points 1.3). */
export type ProjectIdentifier = { id: number } | { namespace: string; path: string };

/** Null for what can name no project. @param text the decoded `:id` of a path */
export function parseProjectIdentifier(text: string): ProjectIdentifier | null {
  if (/^\d+$/.test(text)) {
    const id = Number(text);
    return id <= MAX_ID ? { id } : null;
  }
  const [namespace, path, ...rest] = text.split('/');
  if (!namespace || !path || rest.length > 0) return null;
  return { namespace, path };
}
