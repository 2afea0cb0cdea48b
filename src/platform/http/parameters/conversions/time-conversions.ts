import { type Converted, INVALID } from './conversion.js';

// The sign of an offset may have become a space: an unescaped "+" in a query string means one.
const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+\- ])(\d{2}):?(\d{2})?)?)?$/;
const MINUTE_MS = 60_000;
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** A moment in ISO 8601; without an offset it is UTC, a bare date is its midnight. */
export function toTimestamp(raw: unknown): Converted<Date> {
  if (raw === '') return undefined;
  const match = typeof raw === 'string' ? ISO_8601.exec(raw) : null;
  if (!match) return INVALID;
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = ''] = match;
  const local = momentOf(day, `${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`);
  const moment = local - offsetOf(match[6], match[7], match[8]);
  return moment >= EARLIEST && moment <= LATEST ? new Date(moment) : INVALID;
}

/** A calendar day as `YYYY-MM-DD`; of a timestamp the date part is taken, `""` clears. */
export function toDate(raw: unknown): Converted<string> {
  if (raw === '') return null;
  const moment = toTimestamp(raw);
  return moment instanceof Date && typeof raw === 'string' ? raw.slice(0, 10) : INVALID;
}

// Date.parse takes 31 February for 3 March; a day that does not come back unchanged does not exist.
function momentOf(day: string, time: string): number {
  const moment = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(moment)) return NaN;
  return new Date(moment).toISOString().startsWith(`${day}T${time.slice(0, 2)}`) ? moment : NaN;
}

function offsetOf(sign: string | undefined, hours = '00', minutes = '00'): number {
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return NaN;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -offset : offset;
}
