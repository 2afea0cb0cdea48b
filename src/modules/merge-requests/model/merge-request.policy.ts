import { allows, allowsInSql, type ProjectAccess, type Subject } from '../../access/index.js';
import { type ReaderInSql, takesPart } from '../../issuables/index.js';
import type { MergeRequest } from './merge-request.entity.js';

type Owned = Pick<MergeRequest, 'authorId' | 'assigneeId'>;

/**
 * See docs/reference/merge-requests.md#endpoints. Where a project has merge requests switched off,
 * nobody reads any.
 */
export function mayRead(mergeRequest: Owned, access: ProjectAccess, reader: Subject): boolean {
  if (!access.project.mergeRequestsEnabled) return false;
  if (allows(access, 'merge-request:read-any')) return true;
  return allows(access, 'merge-request:read') && takesPart(mergeRequest, reader);
}

/** Title, description, state and target branch (docs/reference/merge-requests.md#endpoints). */
export function mayEdit(mergeRequest: Owned, access: ProjectAccess, caller: Subject): boolean {
  return allows(access, 'merge-request:edit-any') || takesPart(mergeRequest, caller);
}

/** The same as `mayRead`, in SQL, and true for what is not deleted only. */
export const readableInSql = ({ target, reader, ...access }: ReaderInSql): string => `
  (${target}.deleted_at IS NULL
   AND (${allowsInSql('merge-request:read-any', access)}
        OR (${allowsInSql('merge-request:read', access)}
            AND (${target}.author_id = ${reader} OR ${target}.assignee_id = ${reader})))
   AND EXISTS (SELECT 1 FROM projects home
                WHERE home.id = ${target}.project_id AND home.merge_requests_enabled))`;
