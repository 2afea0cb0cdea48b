import { allows, Level, type ProjectAccess, type Subject } from '../access/index.js';
import { type ReaderInSql, takesPart } from '../issuables/index.js';
import type { Issue } from './issue.entity.js';

type Owned = Pick<Issue, 'authorId' | 'assigneeId'>;

/**
 * See docs/reference/issues.md#confidential-issues. Where a project has issues switched off, nobody
 * reads any.
 */
export function mayRead(
  issue: Owned & Pick<Issue, 'confidential'>,
  access: ProjectAccess,
  reader: Subject,
): boolean {
  if (!access.project.issuesEnabled || !allows(access, 'issue:read')) return false;
  return (
    !issue.confidential || allows(access, 'issue:read-confidential') || takesPart(issue, reader)
  );
}

/** See docs/reference/issues.md#put-projectsidissuesissue_id. */
export function mayEdit(
  issue: Owned & Pick<Issue, 'confidential'>,
  access: ProjectAccess,
  caller: Subject,
): boolean {
  return allows(access, 'issue:edit-any') || takesPart(issue, caller);
}

/** The same as `mayRead`, in SQL, and true for what is not deleted only. */
export const readableInSql = ({ target, reader, level, visible }: ReaderInSql): string => `
  (${target}.deleted_at IS NULL AND (${visible} OR ${level} >= ${String(Level.GUEST)})
   AND (NOT ${target}.confidential OR ${level} >= ${String(Level.REPORTER)}
        OR ${target}.author_id = ${reader} OR ${target}.assignee_id = ${reader})
   AND EXISTS (SELECT 1 FROM projects home
                WHERE home.id = ${target}.project_id AND home.issues_enabled))`;
