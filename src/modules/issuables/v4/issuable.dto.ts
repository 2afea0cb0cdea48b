interface AssigneeParameters {
  assignee_ids?: number[] | null | undefined;
  assignee_id?: number | null | undefined;
}

/** The assignee: the first one of several. Null clears it, undefined keeps it. */
export function toAssigneeId({
  assignee_ids: ids,
  assignee_id: id,
}: AssigneeParameters): number | null | undefined {
  if (ids === undefined) return id;
  return ids?.find((each) => each !== 0) ?? null;
}
