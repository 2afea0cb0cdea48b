const MARKER = /^(?:\s*(?:\[WIP\]|WIP:|WIP\s))+\s*/i;

/** Whether a title marks the request as work in progress (docs/reference/merge-requests.md#work-in-progress). */
export const isWorkInProgress = (title: string): boolean => MARKER.test(title);

/** Removes the work in progress marker from a title. */
export const withoutMarker = (title: string): string => title.replace(MARKER, '');
