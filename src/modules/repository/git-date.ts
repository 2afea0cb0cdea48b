import type { Signature } from '../../git/index.js';

const MINUTE_MS = 60_000;
/** What clients can read; some old programs wrote others, which say nothing. */
const OFFSET = /^([+-])([01]\d|2[0-3])([0-5]\d)$/;
/** In minutes: what `java.time` knows as an offset. No place on earth is further from UTC than 14 hours. */
const WIDEST_OFFSET = 18 * 60;
/** Its year has four digits in every offset. */
const LATEST_HOOK_DATE = Date.UTC(9999, 11, 31, 0, 0, 0);

/** The date of a signature in its author's own offset: `2017-01-09T10:30:00.000+02:00`. */
export function formatGitDate({ date, timezone }: Signature): string {
  const { local, offset } = localTime(date, offsetMinutes(timezone));
  return `${local.slice(0, -1)}${offset}`;
}

/**
 * The same for receivers of hooks, whose date parsers know no fraction of a second beside an offset:
 * `2017-01-09T10:30:00+02:00`. An offset of more than 18 hours counts as UTC, and a year of five digits
 * as the end of 9999, since few of them can read more.
 */
export function formatHookDate({ date, timezone }: Signature): string {
  const minutes = offsetMinutes(timezone);
  const known = new Date(Math.min(date.getTime(), LATEST_HOOK_DATE));
  const { local, offset } = localTime(known, Math.abs(minutes) > WIDEST_OFFSET ? 0 : minutes);
  return `${local.slice(0, -'.000Z'.length)}${offset}`;
}

/** East of UTC; 0 for an offset that says nothing. */
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
