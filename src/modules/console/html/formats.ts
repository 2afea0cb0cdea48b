const COUNT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Formats a number of things: `12,345`. */
export const formatCount = (count: number): string => COUNT.format(count);

/** What was counted up to a bound. */
interface Counted {
  readonly count: number;
  readonly hasMore: boolean;
}

/** Formats the sum of counts, as `10,003+` if there are more than were counted. */
export function formatCounted(counts: readonly Counted[]): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return `${formatCount(total)}${counts.some(({ hasMore }) => hasMore) ? '+' : ''}`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** Formats a span of time by its largest unit: `45 s`, `3 min`, `2 h`, `9 d`. */
export function formatSeconds(seconds: number): string {
  const [length, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${formatCount(Math.floor(seconds / length))} ${unit}`;
}

/** Formats milliseconds with as many digits as say something: `0.4 ms`, `12 ms`, `3.1 s`. */
export function formatMs(ms: number): string {
  if (ms >= 10_000) return `${formatCount(ms / 1_000)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 10 || ms === 0 ? `${formatCount(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** Cuts a text for a list, at its first line. */
export function excerpt(text: string, length = 160): string {
  const [line = ''] = text.split('\n', 1);
  const isWhole = line.length <= length && line.length === text.length;
  return isWhole ? line : `${line.slice(0, length)}…`;
}
