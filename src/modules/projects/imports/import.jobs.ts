import { defineJob, exponentialBackoff } from '../../../platform/queue/index.js';

/** How often an import is tried when what went wrong may pass by itself. */
export const IMPORT_ATTEMPTS = 3;
/** What one attempt may take (docs/reference/projects.md#import-addresses). */
export const IMPORT_LIMIT_MS = 60 * 60_000;
/** For what follows the transfer: putting the objects in their place, recording the end. */
const MARGIN_MS = 10 * 60_000;

/** Where from is in the row of the import, so that no credential travels with the job. */
export interface ImportPayload {
  projectId: number;
}

/** Copies a repository from another server into a new project. */
export const importRepository = defineJob<ImportPayload>('imports', 'import-repository', {
  attempts: IMPORT_ATTEMPTS,
  backoff: exponentialBackoff(2_000, 30_000),
  // They wait for the network more than they work.
  concurrency: 4,
  timeLimitMs: IMPORT_LIMIT_MS + MARGIN_MS,
});
