import type { Signature } from '../../../git/index.js';

const MINUTE_MS = 60_000;
/** Offsets that clients can parse; some old programs wrote invalid ones. */
const OFFSET = /^([+-])([01]\d|2[0-3])([0-5]\d)$/;
/** Maximum of `java.time.ZoneOffset`, in minutes. */
const WIDEST_OFFSET = 18 * 60;
/** The last date whose year has four digits in every offset. */
const LATEST_HOOK_DATE = Date.UTC(9999, 11, 31, 0, 0, 0);

/** Formats the date of a signature in its author's own offset: `2017-01-09T10:30:00.000+02:00`. */
export function formatGitDate({ date, timezone }: Signature): string {
  const { local, offset } = localTime(date, offsetMinutes(timezone));
  return `${local.slice(0, -1)}${offset}`;
}

/**
 * Formats the date for receivers of hooks, whose parsers accept no fraction of a second before an offset:
 * `2017-01-09T10:30:00+02:00`. An offset of more than 18 hours is written as UTC, and a year after 9999 as
 * 9999-12-31, since most parsers accept no more.
 */
export function formatHookDate({ date, timezone }: Signature): string {
  const minutes = offsetMinutes(timezone);
  const known = new Date(Math.min(date.getTime(), LATEST_HOOK_DATE));
  const { local, offset } = localTime(known, Math.abs(minutes) > WIDEST_OFFSET ? 0 : minutes);
  return `${local.slice(0, -'.000Z'.length)}${offset}`;
}

/** Parses an offset to minutes east of UTC; 0 for an invalid one. */
function offsetMinutes(timezone: string): number {
  const [, sign, hours = '00', minutes = '00'] = OFFSET.exec(timezone) ?? [];
  const distance = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -distance : distance;
}

function localTime(date: Date, minutes: number): { local: string; offset: string } {
  const distance = Math.abs(minutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    local: new Date(date.getTime() + minutes * MINUTE_MS).toISOString(),
    offset: `${minutes < 0 ? '-' : '+'}${two(Math.floor(distance / 60))}:${two(distance % 60)}`,
  };
}
