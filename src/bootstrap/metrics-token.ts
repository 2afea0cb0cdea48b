import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../platform/http/index.js';

/** Returns a function that says whether a request has the token of `METRICS_TOKEN`. */
export function metricsTokenCheck(token: string): (request: IncomingMessage) => boolean {
  const digest = digestOf(token);
  return (request) => {
    const given = bearerToken(request);
    return given !== undefined && timingSafeEqual(digestOf(given), digest);
  };
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
