import { deliveryDuration, jobDuration, requestDuration } from '../metrics/index.js';

/** What this process has done since it started, as its metrics count it. */
export interface WorkTotals {
  readonly requests: number;
  /** Requests answered with 5xx. */
  readonly serverErrors: number;
  readonly requestSeconds: number;
  /** How many requests took no longer than so many seconds; the last bound is Infinity. */
  readonly requestsWithin: ReadonlyMap<number, number>;
  readonly jobsDone: number;
  readonly jobsFailed: number;
  readonly deliveriesDone: number;
  readonly deliveriesFailed: number;
}

/** What a process did between two moments. */
export interface WorkDone extends Omit<WorkTotals, 'requestSeconds' | 'requestsWithin'> {
  /** Null without requests, as the next. */
  readonly meanDurationMs: number | null;
  /** The 95th percentile. */
  readonly slowDurationMs: number | null;
}

interface SeriesValue {
  readonly value: number;
  readonly labels: Partial<Record<string, string | number>>;
  readonly metricName?: string;
}

/** Adds up the series of all routes, queues and the like. */
export async function readWorkTotals(): Promise<WorkTotals> {
  const [requests, jobs, deliveries] = await Promise.all([
    requestDuration.get(),
    jobDuration.get(),
    deliveryDuration.get(),
  ]);
  return {
    ...totalsOfRequests(requests.values),
    jobsDone: countOf(jobs.values, ['succeeded']),
    jobsFailed: countOf(jobs.values, ['failed', 'given_up']),
    deliveriesDone: countOf(deliveries.values, ['delivered']),
    deliveriesFailed:
      sum(deliveries.values.filter(isCount)) - countOf(deliveries.values, ['delivered']),
  };
}

function totalsOfRequests(
  values: readonly SeriesValue[],
): Pick<WorkTotals, 'requests' | 'serverErrors' | 'requestSeconds' | 'requestsWithin'> {
  const requestsWithin = new Map<number, number>();
  for (const { metricName = '', labels, value } of values) {
    if (!metricName.endsWith('_bucket')) continue;
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    requestsWithin.set(bound, (requestsWithin.get(bound) ?? 0) + value);
  }
  const counts = values.filter(isCount);
  const sums = values.filter(({ metricName }) => metricName?.endsWith('_sum'));
  return {
    requests: sum(counts),
    serverErrors: sum(counts.filter(({ labels }) => Number(labels['status']) >= 500)),
    requestSeconds: sum(sums),
    requestsWithin,
  };
}

const isCount = ({ metricName }: SeriesValue): boolean => metricName?.endsWith('_count') === true;

/** How often a histogram has seen one of these outcomes. */
const countOf = (values: readonly SeriesValue[], outcomes: readonly string[]): number =>
  sum(values.filter(isCount).filter(({ labels }) => outcomes.includes(String(labels['outcome']))));

const sum = (values: readonly SeriesValue[]): number =>
  values.reduce((total, { value }) => total + value, 0);

/** What was done between two readings. */
export function workBetween(before: WorkTotals, after: WorkTotals): WorkDone {
  const requests = after.requests - before.requests;
  const seconds = after.requestSeconds - before.requestSeconds;
  const within = [...after.requestsWithin]
    .map(([bound, count]) => [bound, count - (before.requestsWithin.get(bound) ?? 0)] as const)
    .sort(([one], [other]) => one - other);
  return {
    requests,
    serverErrors: after.serverErrors - before.serverErrors,
    meanDurationMs: requests === 0 ? null : (seconds / requests) * 1_000,
    slowDurationMs: requests === 0 ? null : quantile(0.95, within) * 1_000,
    jobsDone: after.jobsDone - before.jobsDone,
    jobsFailed: after.jobsFailed - before.jobsFailed,
    deliveriesDone: after.deliveriesDone - before.deliveriesDone,
    deliveriesFailed: after.deliveriesFailed - before.deliveriesFailed,
  };
}

/**
 * Estimates a quantile as Prometheus' `histogram_quantile` does: by a straight line within the bucket that it falls in. Above
 * the last finite bound it is that bound.
 * @param within how many values are not above each bound, by bound
 */
function quantile(share: number, within: readonly (readonly [number, number])[]): number {
  const wanted = share * (within.at(-1)?.[1] ?? 0);
  let lower = { bound: 0, count: 0 };
  for (const [bound, count] of within) {
    if (count >= wanted) {
      if (bound === Infinity) return lower.bound;
      const width = bound - lower.bound;
      return lower.bound + width * ((wanted - lower.count) / Math.max(1, count - lower.count));
    }
    lower = { bound, count };
  }
  return lower.bound;
}
