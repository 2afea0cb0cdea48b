import { IdListParam } from '../../../platform/http/index.js';

/** Assignees or reviewers. @param remark who may set them */
export const PeopleParam = (remark: string): PropertyDecorator =>
  IdListParam({
    nullable: true,
    emptyClears: true,
    description: `In order, 200 at most; 0 is none. ${remark}`,
  });

interface AssigneeParameters {
  assignee_ids?: number[] | null | undefined;
  assignee_id?: number | null | undefined;
}

/** The assignees: of both parameters the list counts. An empty list clears them, undefined keeps them. */
export function toAssigneeIds({
  assignee_ids: ids,
  assignee_id: id,
}: AssigneeParameters): number[] | undefined {
  return toUserIds(ids ?? (id === undefined || ids === null ? ids : [id ?? 0]));
}

/** A list of users, in which 0 is none. Null clears it, undefined keeps it. */
export const toUserIds = (ids: readonly number[] | null | undefined): number[] | undefined =>
  ids === undefined ? undefined : (ids ?? []).filter((id) => id !== 0);
