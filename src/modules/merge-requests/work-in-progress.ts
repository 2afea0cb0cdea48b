const MARKER = /^(?:\s*(?:\[WIP\]|WIP:|WIP\s))+\s*/i;

/**
 * Whether a title says that the work is not finished: such a request is not merged
 * (docs/reference/merge-requests.md#work-in-progress).
 */
export const isWorkInProgress = (title: string): boolean => MARKER.test(title);

/** A title without what says so. */
export const withoutMarker = (title: string): string => title.replace(MARKER, '');
