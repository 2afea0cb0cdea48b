import { allows, Level } from '../../access/index.js';
import type { EventVisibility } from '../../projects/index.js';

/**
 * Which events on issues, or on what belongs to them, a reader may see: those on issues that they
 * may read (docs/reference/events.md#who-sees-an-event), as the issues are now. Of those that are
 * deleted only the confidential ones stay hidden.
 * @param type what the events are recorded with as the type of their target
 * @param issueOfEvent `FROM` and `WHERE` that bind the alias `i` to the issue of an event of the type
 */
export function issueEventVisibility(type: string, issueOfEvent: string): EventVisibility {
  const isOther = `event.target_type IS DISTINCT FROM '${type}'`;
  // As a condition of its own it becomes a join, which knows the project's few confidential issues.
  const isReadable = (about: string): string => `
    NOT EXISTS (SELECT 1 ${issueOfEvent} AND event.target_type = '${type}' ${about}
                   AND i.project_id = event.project_id AND i.confidential
                   AND (i.author_id = reader.id OR i.assignee_id = reader.id) IS NOT TRUE)`;
  return {
    inProject: (access) => {
      if (!access.project.issuesEnabled) return isOther;
      return allows(access, 'issue:read-confidential') ? null : isReadable('');
    },
    across: `(seen.issues_enabled OR ${isOther})
      AND ${isReadable(`AND seen.level < ${String(Level.REPORTER)}`)}`,
  };
}

export const ISSUE_OF_EVENT = 'FROM issues i WHERE i.id = event.target_id';

export const ISSUE_OF_NOTE = `
  FROM notes n JOIN issues i ON n.noteable_type = 'Issue' AND i.id = n.noteable_id
 WHERE n.id = event.target_id`;
