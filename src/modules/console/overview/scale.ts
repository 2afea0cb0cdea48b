import { formatBytes } from '../../../platform/monitoring/index.js';
import { formatCount, formatMs } from '../html/formats.js';

/** How the values of a chart are written, and where their axis ends. */
export interface Scale {
  readonly format: (value: number) => string;
  /** Returns a round value that is positive and not below the greatest one, and whose half is round as well. */
  readonly roundUp: (greatest: number) => number;
}

const STEPS = [1, 2, 4, 6, 8, 10];

function roundUp(value: number): number {
  if (value === 0) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return (STEPS.find((step) => step * magnitude >= value) ?? 10) * magnitude;
}

function roundUpBytes(bytes: number): number {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(1, bytes)) / 10);
  return roundUp(bytes / unit) * unit;
}

export const COUNTS: Scale = {
  format: formatCount,
  // The half is a whole number.
  roundUp: (greatest) => Math.max(2, roundUp(greatest)),
};
export const DURATIONS: Scale = { format: formatMs, roundUp };
export const BYTES: Scale = { format: formatBytes, roundUp: roundUpBytes };
