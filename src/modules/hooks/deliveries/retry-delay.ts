import type { FailedResult } from './http-sender.js';

const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * The milliseconds to wait before the next attempt, or null when there is none: the schedule's delay with
 * jitter, or a longer `Retry-After`. See docs/reference/hooks.md#retries.
 * @param schedule seconds to wait after the first attempt, the second, and so on
 * @param attempts made so far, of which the last has failed
 */
export function retryDelayMs(
  schedule: readonly number[],
  attempts: number,
  { response, failure }: FailedResult,
): number | null {
  if (failure.cause === 'gone' || failure.cause === 'refused') return null;
  const seconds = schedule[attempts - 1];
  if (seconds === undefined) return null;
  const scheduled = Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * Math.random()));
  const requested = retryAfterMs(response?.headers['retry-after'], Date.now());
  return Math.max(scheduled, Math.min(requested, MAX_RETRY_AFTER_MS));
}

/** Parses a `Retry-After` in seconds or as a date; 0 when it is absent or invalid. */
function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const moment = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? 0 : Math.max(0, moment - now);
}
