import { UsageError } from './errors.js';

// With an offset, so that no time zone is assumed.
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** @throws UsageError for a text that is no time */
export function toTime(option: string, text: string): Date {
  const date = new Date(text);
  if (!TIME.test(text) || Number.isNaN(date.getTime())) {
    throw new UsageError(`${option} takes a time such as 2030-01-31T08:00:00Z`);
  }
  return date;
}
