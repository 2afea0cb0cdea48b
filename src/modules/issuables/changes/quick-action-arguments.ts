// The arguments of quick actions (docs/reference/quick-actions.md#actions).

/** The most labels, or users, that the actions of a text name. */
export const MAX_NAMES = 200;

const LABEL = /~?"([^"]+)"|~?([^\s~",]+)/g;

/** Returns the names of labels: `~bug ~"to do"`, without their signs. */
export function labelNamesOf(argument: string): string[] {
  const names: string[] = [];
  for (const [, quoted, plain] of argument.matchAll(LABEL)) {
    if (names.length === MAX_NAMES) break;
    names.push(quoted ?? plain ?? '');
  }
  return names;
}

/** Returns usernames in lower case: `@maria @jan`, and `me` for the user. */
export function usernamesOf(argument: string): string[] {
  const words = argument.split(/[\s,]+/, MAX_NAMES).filter((word) => word !== '');
  return words.map((word) => (word.startsWith('@') ? word.slice(1) : word).toLowerCase());
}

/** Returns the title of a milestone: `%v1`, `%"Version 1"`. */
export function milestoneTitleOf(argument: string): string {
  const named = argument.startsWith('%') ? argument.slice(1) : argument;
  return named.startsWith('"') && named.endsWith('"') && named.length > 1
    ? named.slice(1, -1)
    : named;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DISTANCE = /^in (\d{1,4}) (day|week|month|year)s?$/;

/**
 * Reads a day: `2026-12-31`, `today`, `tomorrow`, `in 3 days`.
 * @returns the day as `YYYY-MM-DD`; null if it is none
 */
export function dayOf(argument: string, now: Date): string | null {
  const text = argument.trim().toLowerCase();
  if (DAY.test(text)) {
    const day = new Date(`${text}T00:00:00Z`);
    const isDay = !Number.isNaN(day.getTime()) && isoDay(day) === text;
    return isDay && day.getUTCFullYear() > 0 ? text : null;
  }
  const day = new Date(now);
  const [, count = '', unit] = DISTANCE.exec(text) ?? [];
  const distance = Number(count);
  if (text === 'tomorrow') day.setUTCDate(day.getUTCDate() + 1);
  else if (unit === 'day') day.setUTCDate(day.getUTCDate() + distance);
  else if (unit === 'week') day.setUTCDate(day.getUTCDate() + 7 * distance);
  else if (unit === 'month') day.setUTCMonth(day.getUTCMonth() + distance);
  else if (unit === 'year') day.setUTCFullYear(day.getUTCFullYear() + distance);
  else if (text !== 'today') return null;
  return day.getUTCFullYear() > 9999 ? null : isoDay(day);
}

const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
