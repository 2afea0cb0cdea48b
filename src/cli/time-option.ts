import { UsageError } from './errors.js';

// With an offset: without one, and in other forms, a date depends on the time zone of the process and on its parser.
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Parses a time in ISO 8601, or a day, which begins in UTC. Returns an invalid date for any other text. */
export const parseTime = (text: string): Date => new Date(TIME.test(text) ? text : NaN);

/** @throws UsageError for a text that is no time */
export function toTime(option: string, text: string): Date {
  const date = parseTime(text);
  if (Number.isNaN(date.getTime())) {
    throw new UsageError(`${option} takes a time such as 2030-01-31T08:00:00Z`);
  }
  return date;
}
