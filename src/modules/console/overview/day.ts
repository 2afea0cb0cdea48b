import {
  type InstanceStatistics,
  STATISTICS_PERIOD_MS,
} from '../../../platform/monitoring/index.js';

const HOUR_MS = 3_600_000;
export const PERIODS_PER_HOUR = HOUR_MS / STATISTICS_PERIOD_MS;
const PERIODS = 24 * PERIODS_PER_HOUR;

/** Five minutes of the last day; the entry is null where no process has left statistics. */
export interface Period {
  readonly at: Date;
  readonly entry: InstanceStatistics | null;
}

/** When the first five minutes of the day up to a moment began. */
export const beginningOfDay = (now: Date): Date =>
  new Date((Math.floor(now.getTime() / STATISTICS_PERIOD_MS) - PERIODS) * STATISTICS_PERIOD_MS);

/** Puts statistics into the five minutes of a day, the oldest first. */
export function periodsOf(beginning: Date, statistics: readonly InstanceStatistics[]): Period[] {
  const known = new Map(statistics.map((entry) => [entry.periodStart.getTime(), entry]));
  return Array.from({ length: PERIODS }, (_, index) => {
    const at = beginning.getTime() + index * STATISTICS_PERIOD_MS;
    return { at: new Date(at), entry: known.get(at) ?? null };
  });
}

/**
 * Returns how many of the last hours have statistics, as an even number, for a chart of a young instance would be empty on its left.
 * A day without any.
 */
export function hoursSinceFirst(periods: readonly Period[]): number {
  const first = periods.findIndex(({ entry }) => entry !== null);
  return Math.ceil((periods.length - Math.max(0, first)) / PERIODS_PER_HOUR / 2) * 2;
}

/** What happened in an hour: sums of what is counted, else the worst of five minutes. */
export interface Hour extends Omit<InstanceStatistics, 'periodStart' | 'processes'> {
  readonly at: Date;
}

/** Puts statistics together by the hours of the clock, the newest first; hours without any are left out. */
export function hoursOf(statistics: readonly InstanceStatistics[]): Hour[] {
  const hours = new Map<number, InstanceStatistics[]>();
  for (const entry of statistics) {
    const hour = Math.floor(entry.periodStart.getTime() / HOUR_MS);
    hours.set(hour, [...(hours.get(hour) ?? []), entry]);
  }
  return [...hours]
    .sort(([one], [other]) => other - one)
    .map(([hour, within]) => ({ at: new Date(hour * HOUR_MS), ...addUp(within) }));
}

function addUp(statistics: readonly InstanceStatistics[]): Omit<Hour, 'at'> {
  const sum = (value: (entry: InstanceStatistics) => number) =>
    statistics.reduce((total, entry) => total + value(entry), 0);
  const worst = (value: (entry: InstanceStatistics) => number) =>
    Math.max(...statistics.map(value));
  const requests = sum((entry) => entry.requests);
  const spentMs = sum((entry) => (entry.meanDurationMs ?? 0) * entry.requests);
  return {
    requests,
    serverErrors: sum((entry) => entry.serverErrors),
    meanDurationMs: requests === 0 ? null : spentMs / requests,
    slowDurationMs: requests === 0 ? null : worst((entry) => entry.slowDurationMs ?? 0),
    eventLoopDelayMs: worst((entry) => entry.eventLoopDelayMs),
    memoryBytes: worst((entry) => entry.memoryBytes),
    jobsDone: sum((entry) => entry.jobsDone),
    jobsFailed: sum((entry) => entry.jobsFailed),
    deliveriesDone: sum((entry) => entry.deliveriesDone),
    deliveriesFailed: sum((entry) => entry.deliveriesFailed),
  };
}
