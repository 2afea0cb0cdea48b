import { notDeleted } from '../../../platform/database/index.js';
import { forbidden, recordNotFound } from '../../../platform/errors/index.js';
import {
  allows,
  allowsInSql,
  type ProjectAccess,
  type Subject,
} from '../../authorization/index.js';
import type { EventVisibility } from '../../feeds/index.js';
import { isAmong, isEnabled, type ReaderInSql, takesPart } from '../../issuables/index.js';
import { isOpen, type MergeRequest } from './merge-request.entity.js';

type Owned = Pick<MergeRequest, 'authorId' | 'assigneeIds'>;

/**
 * See docs/reference/merge-requests.md#endpoints. Where a project has merge requests switched off,
 * nobody reads any.
 */
export function mayRead(mergeRequest: Owned, access: ProjectAccess, reader: Subject): boolean {
  if (!isEnabled(access.project, 'MergeRequest')) return false;
  if (allows(access, 'merge-request:read-any')) return true;
  return allows(access, 'merge-request:read') && takesPart(mergeRequest, reader);
}

/**
 * Returns a merge request that was looked for in a project.
 * @throws DomainError record not found; forbidden when the reader may not read it
 */
export function assertReadable<Found extends Owned>(
  found: Found | null,
  access: ProjectAccess,
  reader: Subject,
): Found {
  if (found === null) throw recordNotFound('merge-request');
  if (!mayRead(found, access, reader)) throw forbidden();
  return found;
}

/** Title, description, state and target branch (docs/reference/merge-requests.md#endpoints). */
export function mayEdit(mergeRequest: Owned, access: ProjectAccess, caller: Subject): boolean {
  return allows(access, 'merge-request:edit-any') || takesPart(mergeRequest, caller);
}

/** Whether a user may approve a request: not their own, and only while it is open (docs/decisions/0076-approvals.md). */
export function mayApprove(
  mergeRequest: Pick<MergeRequest, 'authorId' | 'state'>,
  access: ProjectAccess,
  user: Subject,
): boolean {
  const isOther = user !== null && user.id !== mergeRequest.authorId;
  return isOther && isOpen(mergeRequest) && allows(access, 'merge-request:approve');
}

/** The same as `mayRead`, in SQL, and true for what is not deleted only. */
export const readableInSql = ({ target, reader, ...access }: ReaderInSql): string => `
  (${notDeleted(target)}
   AND (${allowsInSql('merge-request:read-any', access)}
        OR (${allowsInSql('merge-request:read', access)}
            AND (${target}.author_id = ${reader} OR ${isAmong(target, 'assignee_ids', reader)})))
   AND (SELECT home.merge_requests_enabled FROM projects home WHERE home.id = ${target}.project_id))`;

/**
 * Expresses which events on merge requests, or on notes on them, a reader may see: all of them if the reader may read
 * all merge requests, else those on their own (docs/reference/events.md#who-sees-an-event).
 * @param type the type of the event's target
 * @param requestOfEvent `FROM` and `WHERE` that bind the alias `m` to the request of an event
 */
export function mergeRequestEventVisibility(type: string, requestOfEvent: string): EventVisibility {
  const isOther = `event.target_type IS DISTINCT FROM '${type}'`;
  const isTheirs = `EXISTS (
    SELECT 1 ${requestOfEvent} AND m.project_id = event.project_id
       AND (m.author_id = reader.id OR ${isAmong('m', 'assignee_ids', 'reader.id')}))`;
  return {
    inProject: (access) => {
      if (!isEnabled(access.project, 'MergeRequest')) return isOther;
      return allows(access, 'merge-request:read-any') ? null : `(${isOther} OR ${isTheirs})`;
    },
    across: `(${isOther} OR (seen.merge_requests_enabled AND (seen.code OR ${isTheirs})))`,
  };
}
