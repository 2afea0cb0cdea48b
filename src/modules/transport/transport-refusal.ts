import type { SlotsTakenError } from '../../platform/limits/index.js';

/** Why a git client is not served, with the texts of docs/reference/git.md#http; always plain text. */
export class TransportRefusal extends Error {
  override readonly name = 'TransportRefusal';

  constructor(
    readonly status: number,
    text: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(text);
  }
}

export const challenge = (): TransportRefusal =>
  new TransportRefusal(401, 'HTTP Basic: Access denied', {
    'WWW-Authenticate': 'Basic realm="Git"',
  });

export const beingFilled = (): TransportRefusal =>
  new TransportRefusal(503, 'The repository is still being filled. Try again later.', {
    'Retry-After': '10',
  });

export const missing = (): TransportRefusal => new TransportRefusal(404, 'Not Found');

export const shutOut = (): TransportRefusal => new TransportRefusal(403, 'Forbidden');

/** @param retryAfterSeconds whole seconds */
export const tooManyAttempts = (retryAfterSeconds: number): TransportRefusal =>
  new TransportRefusal(429, 'Too Many Requests', { 'Retry-After': String(retryAfterSeconds) });

export const denied = (): TransportRefusal => new TransportRefusal(403, 'Access denied');

/** See docs/reference/git.md#protocols. */
export const switchedOff = (): TransportRefusal =>
  new TransportRefusal(403, 'Git access over HTTP is not allowed');

/** git shows its user the number alone: that the request may be repeated stands in the header. */
export const slotsTaken = ({ isCallers, retryAfterSeconds }: SlotsTakenError): TransportRefusal =>
  new TransportRefusal(
    isCallers ? 429 : 503,
    isCallers ? 'Too Many Requests' : 'Service Unavailable',
    {
      'Retry-After': String(retryAfterSeconds),
    },
  );
