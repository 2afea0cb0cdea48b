import type { Signature } from '../../git/index.js';

const MINUTE_MS = 60_000;

/** The date of a signature in its author's own offset: `2017-01-09T10:30:00.000+02:00` (1.9). */
export function formatGitDate({ date, timezone }: Signature): string {
  const [, sign = '+', hours = '00', minutes = '00'] =
    /^([+-])(\d{2})(\d{2})$/.exec(timezone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = new Date(date.getTime() + offset * MINUTE_MS).toISOString();
  return `${local.slice(0, -1)}${sign}${hours}:${minutes}`;
}
