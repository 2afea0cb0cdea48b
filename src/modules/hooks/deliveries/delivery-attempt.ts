import type { FailureCause } from './failure-cause.js';

/** What a receiver answered. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What was read of it. */
  readonly body: string;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly durationMs: number;
  /** Null when there was none, or none that was complete in time. */
  readonly answer: ReceiverAnswer | null;
  /** Null when it succeeded. */
  readonly failure: { readonly cause: FailureCause; readonly message: string } | null;
}

/** How one ended that failed. */
export interface FailedOutcome extends AttemptOutcome {
  readonly failure: NonNullable<AttemptOutcome['failure']>;
}

export const hasFailed = (outcome: AttemptOutcome): outcome is FailedOutcome =>
  outcome.failure !== null;

/** What an answer of this status means: 2xx is a success, redirects are not followed (open points 7.1). */
export function failureOfStatus(status: number): AttemptOutcome['failure'] {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return { cause: 'gone', message: 'The receiver wants no more deliveries' };
  return { cause: 'status', message: `The receiver answered ${String(status)}` };
}

const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/;

/** Why no answer came. */
export function failureOfError(error: unknown): FailedOutcome['failure'] {
  const { name = '', code = '', message } = error as Partial<NodeJS.ErrnoException>;
  const text = message ?? String(error);
  if (name === 'TimeoutError') {
    return { cause: 'timeout', message: 'No complete answer within 10 seconds' };
  }
  if (name === 'HostRefusedError') return { cause: 'refused', message: text };
  if (name === 'HostUnknownError') return { cause: 'dns', message: text };
  if (TLS_CODE.test(code)) return { cause: 'tls', message: text };
  return { cause: 'network', message: text };
}
