import type { InstanceSample } from '../../../platform/monitoring/index.js';

const SLOT_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
const SLOTS = 24 * 12;

/** Five minutes of the last day; without a sample no process described them. */
export interface Slot {
  readonly at: Date;
  readonly sample: InstanceSample | null;
}

/** When the first five minutes of the day up to a moment began. */
export const beginningOfDay = (now: Date): Date =>
  new Date((Math.floor(now.getTime() / SLOT_MS) - SLOTS) * SLOT_MS);

/** Puts samples into the five minutes of a day, the oldest first. */
export function slotsOf(beginning: Date, samples: readonly InstanceSample[]): Slot[] {
  const known = new Map(samples.map((sample) => [sample.slotAt.getTime(), sample]));
  return Array.from({ length: SLOTS }, (_, index) => {
    const at = beginning.getTime() + index * SLOT_MS;
    return { at: new Date(at), sample: known.get(at) ?? null };
  });
}

/** What happened in an hour: sums of what is counted, else the worst of five minutes. */
export interface Hour extends Omit<InstanceSample, 'slotAt' | 'processes'> {
  readonly at: Date;
}

/** Puts samples together by the hours of the clock, the newest first; hours without any are left out. */
export function hoursOf(samples: readonly InstanceSample[]): Hour[] {
  const hours = new Map<number, InstanceSample[]>();
  for (const sample of samples) {
    const hour = Math.floor(sample.slotAt.getTime() / HOUR_MS);
    hours.set(hour, [...(hours.get(hour) ?? []), sample]);
  }
  return [...hours]
    .sort(([one], [other]) => other - one)
    .map(([hour, within]) => ({ at: new Date(hour * HOUR_MS), ...addUp(within) }));
}

function addUp(samples: readonly InstanceSample[]): Omit<Hour, 'at'> {
  const sum = (value: (sample: InstanceSample) => number) =>
    samples.reduce((total, sample) => total + value(sample), 0);
  const worst = (value: (sample: InstanceSample) => number) => Math.max(...samples.map(value));
  const requests = sum((sample) => sample.requests);
  const spentMs = sum((sample) => (sample.meanDurationMs ?? 0) * sample.requests);
  return {
    requests,
    serverErrors: sum((sample) => sample.serverErrors),
    meanDurationMs: requests === 0 ? null : spentMs / requests,
    slowDurationMs: requests === 0 ? null : worst((sample) => sample.slowDurationMs ?? 0),
    eventLoopDelayMs: worst((sample) => sample.eventLoopDelayMs),
    memoryBytes: worst((sample) => sample.memoryBytes),
    jobsDone: sum((sample) => sample.jobsDone),
    jobsFailed: sum((sample) => sample.jobsFailed),
    deliveriesDone: sum((sample) => sample.deliveriesDone),
    deliveriesFailed: sum((sample) => sample.deliveriesFailed),
  };
}
