import { allows } from '../../access/index.js';
import type { EventVisibility } from '../../projects/index.js';

/**
 * Which events on merge requests, or on what belongs to them, a reader may see: those of all who
 * may read merge requests (docs/reference/events.md#who-sees-an-event), and below that those on
 * their own.
 * @param type what the events are recorded with as the type of their target
 * @param requestOfEvent `FROM` and `WHERE` that bind the alias `m` to the request of an event
 */
export function mergeRequestEventVisibility(type: string, requestOfEvent: string): EventVisibility {
  const isOther = `event.target_type IS DISTINCT FROM '${type}'`;
  const isTheirs = `EXISTS (
    SELECT 1 ${requestOfEvent} AND m.project_id = event.project_id
       AND (m.author_id = reader.id OR m.assignee_id = reader.id))`;
  return {
    inProject: (access) => {
      if (!access.project.mergeRequestsEnabled) return isOther;
      return allows(access, 'merge-request:read-any') ? null : `(${isOther} OR ${isTheirs})`;
    },
    across: `(${isOther} OR (seen.merge_requests_enabled AND (seen.code OR ${isTheirs})))`,
  };
}

export const REQUEST_OF_EVENT = 'FROM merge_requests m WHERE m.id = event.target_id';

export const REQUEST_OF_NOTE = `
  FROM notes n JOIN merge_requests m ON n.noteable_type = 'MergeRequest' AND m.id = n.noteable_id
 WHERE n.id = event.target_id`;
