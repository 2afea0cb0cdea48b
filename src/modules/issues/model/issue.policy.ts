import { checked, notDeleted } from '../../../platform/database/index.js';
import {
  allows,
  allowsInSql,
  Level,
  type ProjectAccess,
  type Subject,
} from '../../authorization/index.js';
import type { EventVisibility } from '../../feeds/index.js';
import { isAmong, isEnabled, type ReaderInSql, takesPart } from '../../issuables/index.js';
import type { Issue } from './issue.entity.js';

// Who may read an issue is needed as a predicate, as SQL and for feeds. A test compares the three on all combinations.

type Owned = Pick<Issue, 'authorId' | 'assigneeIds'>;

/**
 * Whether the reader may read the issue (docs/reference/issues.md#confidential-issues). Nobody reads the issues of a
 * project that has them disabled.
 */
export function mayRead(
  issue: Owned & Pick<Issue, 'confidential'>,
  access: ProjectAccess,
  reader: Subject,
): boolean {
  if (!isEnabled(access.project, 'Issue') || !allows(access, 'issue:read')) return false;
  return (
    !issue.confidential || allows(access, 'issue:read-confidential') || takesPart(issue, reader)
  );
}

/** Expresses `mayRead` in SQL. It is false for deleted issues. */
export const readableInSql = ({ target, reader, ...access }: ReaderInSql): string => `
  (${notDeleted(target)} AND ${allowsInSql('issue:read', access)}
   AND (NOT ${target}.confidential OR ${allowsInSql('issue:read-confidential', access)}
        OR ${target}.author_id = ${reader} OR ${isAmong(target, 'assignee_ids', reader)})
   AND (SELECT home.issues_enabled FROM projects home WHERE home.id = ${target}.project_id))`;

/**
 * Expresses which events on issues, or on notes on them, a reader may see: those on issues that the reader may read
 * now (docs/reference/events.md#who-sees-an-event). Of deleted issues only the confidential ones are hidden.
 * @param type the type of the event's target
 * @param issueOfEvent `FROM` and `WHERE` that bind the alias `i` to the issue of an event of that type
 */
export function issueEventVisibility(type: string, issueOfEvent: string): EventVisibility {
  const isOther = `event.target_type IS DISTINCT FROM '${type}'`;
  // The issue of each event is looked up by ID.
  const isHidden = checked(`
    i.project_id = event.project_id AND i.confidential
    AND (i.author_id = reader.id OR ${isAmong('i', 'assignee_ids', 'reader.id')}) IS NOT TRUE`);
  const isReadable = (about: string): string => `
    NOT EXISTS (SELECT 1 ${issueOfEvent} AND event.target_type = '${type}' ${about}
                   AND ${isHidden} OFFSET 0)`;
  return {
    inProject: (access) => {
      if (!isEnabled(access.project, 'Issue')) return isOther;
      return allows(access, 'issue:read-confidential') ? null : isReadable('');
    },
    across: `(seen.issues_enabled OR ${isOther})
      AND ${isReadable(`AND seen.level < ${String(Level.REPORTER)}`)}`,
  };
}

/** Whether the caller may edit the issue (docs/reference/issues.md#put-projectsidissuesissue_id). */
export function mayEdit(issue: Owned, access: ProjectAccess, caller: Subject): boolean {
  return allows(access, 'issue:edit-any') || takesPart(issue, caller);
}
