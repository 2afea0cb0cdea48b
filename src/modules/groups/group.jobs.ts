import { defineJob } from '../../platform/queue/index.js';

/** Removes the row of a deleted namespace, once its projects are gone. */
export const removeNamespace = defineJob<{ namespaceId: number }>('groups', 'remove-namespace', {
  // It waits for the jobs that remove the projects: about a week at its longest interval.
  attempts: 1_000,
});
