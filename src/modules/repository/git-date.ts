import type { Signature } from '../../git/index.js';

const MINUTE_MS = 60_000;
/** What clients can read; some old programs wrote others, which say nothing. */
const OFFSET = /^([+-])([01]\d|2[0-3])([0-5]\d)$/;

/** The date of a signature in its author's own offset: `2017-01-09T10:30:00.000+02:00` (1.9). */
export function formatGitDate({ date, timezone }: Signature): string {
  const [, sign, hours = '00', minutes = '00'] = OFFSET.exec(timezone) ?? [];
  const distance = Number(hours) * 60 + Number(minutes);
  const isWest = sign === '-' && distance > 0;
  const local = new Date(date.getTime() + (isWest ? -distance : distance) * MINUTE_MS);
  return `${local.toISOString().slice(0, -1)}${isWest ? '-' : '+'}${hours}:${minutes}`;
}
