// Durations as people write them: `1w 2d 3h` (docs/reference/issues.md#time-tracking).

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Of work: a day has 8 hours, a week 5 days, a month 4 weeks. */
const DAY = 8 * HOUR;
const WEEK = 5 * DAY;
const MONTH = 4 * WEEK;

/** The units of durations as they are shown, the longest first, with the further names that are read. */
const UNITS: readonly (readonly [seconds: number, shown: string, ...others: string[]])[] = [
  [MONTH, 'mo', 'mos', 'month', 'months'],
  [WEEK, 'w', 'wk', 'wks', 'week', 'weeks'],
  [DAY, 'd', 'day', 'days'],
  [HOUR, 'h', 'hr', 'hrs', 'hour', 'hours'],
  [MINUTE, 'm', 'min', 'mins', 'minute', 'minutes'],
  [1, 's', 'sec', 'secs', 'second', 'seconds'],
];

const SECONDS = new Map(
  UNITS.flatMap(([seconds, ...names]) => names.map((name) => [name, seconds] as const)),
);

const MAX_CHARACTERS = 255;

/** The most seconds of an estimate, or that were spent. */
export const MAX_SECONDS = 2 ** 31 - 1;

const PART = /\s*([\d.]{1,12})\s*([a-z]{0,8})[\s,]*/giy;

/**
 * Reads a duration. A number without a unit is hours.
 * @returns whole seconds, less than 0 after a minus sign; null if it is none, or longer than `MAX_SECONDS`
 */
export function parseDuration(text: string): number | null {
  const isNegative = text.trim().startsWith('-');
  const unsigned = isNegative ? text.trim().slice(1) : text.trim();
  if (unsigned.length > MAX_CHARACTERS) return null;
  let seconds = 0;
  let end = 0;
  for (const [part, number, unit = ''] of unsigned.matchAll(PART)) {
    seconds += Number(number) * (SECONDS.get(unit === '' ? 'h' : unit.toLowerCase()) ?? NaN);
    end += part.length;
  }
  const isDuration = end > 0 && end === unsigned.length && seconds <= MAX_SECONDS;
  if (!isDuration) return null;
  return Math.round(isNegative && seconds > 0 ? -seconds : seconds);
}

/** Writes a duration as `parseDuration` reads it: `1h 30m`; an empty text for 0. */
export function formatDuration(seconds: number): string {
  let rest = seconds;
  const parts: string[] = [];
  for (const [size, name] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${String(count)}${name}`);
  }
  return parts.join(' ');
}
