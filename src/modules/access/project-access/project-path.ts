import { MAX_ID } from '../../../platform/database/index.js';

/** How a path names a project: by ID, or by namespace and path. */
export type ProjectIdentifier = { id: number } | { namespace: string; path: string };

/**
 * Parses the decoded `:id` of a path.
 * @returns null when it cannot name a project
 */
export function parseProjectIdentifier(text: string): ProjectIdentifier | null {
  if (/^\d+$/.test(text)) {
    const id = Number(text);
    return id <= MAX_ID ? { id } : null;
  }
  const [namespace, path, ...rest] = text.split('/');
  if (!namespace || !path || rest.length > 0) return null;
  return { namespace, path };
}
