import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import type { FailedOutcome } from './delivery-attempt.js';

const JITTER = 0.1;
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** When a delivery is tried again (open points 7.1). */
@Injectable()
export class RetryPlan {
  constructor(private readonly config: Config) {}

  /**
   * Milliseconds to wait after the given number of attempts, of which the last has failed; null when
   * another makes no sense.
   */
  delayAfter(attempts: number, { answer, failure }: FailedOutcome): number | null {
    if (failure.cause === 'gone' || failure.cause === 'refused') return null;
    const seconds = this.config.webhookRetrySeconds[attempts - 1];
    if (seconds === undefined) return null;
    const planned = Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * Math.random()));
    const asked = retryAfterMs(answer?.headers['retry-after'], Date.now());
    return Math.max(planned, Math.min(asked, MAX_RETRY_AFTER_MS));
  }
}

/** What a `Retry-After` asks for, in seconds or as a date; 0 for none that can be understood. */
export function retryAfterMs(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const moment = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? 0 : Math.max(0, moment - now);
}
