const MARKER = /^(?:\s*(?:\[WIP\]|WIP:|WIP\s))+/i;

/** Whether a title says that the work is not finished: such a request is not merged (open points 5.5). */
export const isWorkInProgress = (title: string): boolean => MARKER.test(title);
