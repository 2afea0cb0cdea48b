import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { forbidden } from '../../../platform/errors/index.js';
import { rawParameters } from '../../../platform/http/index.js';
import { CSRF_FIELD } from '../html/components.js';

/**
 * The token that forms send along. It derives from the cookie, which pages of other sites can neither read nor set, and
 * does not disclose it.
 */
export function csrfTokenOf(cookie: string): string {
  return createHash('sha256').update(`form ${cookie}`).digest('base64url');
}

/**
 * Checks that a form was sent by a page of this service.
 * @param cookie the one that its token derives from; undefined if the browser has none
 * @param externalUrl the service's own address
 * @throws DomainError forbidden
 */
export function assertOwnForm(
  request: Request,
  cookie: string | undefined,
  externalUrl: string,
): void {
  if (!isOfThisSite(request, externalUrl)) throw forbidden();
  const given = rawParameters(request)[CSRF_FIELD];
  if (cookie === undefined || typeof given !== 'string') throw forbidden();
  if (!areEqual(given, csrfTokenOf(cookie))) throw forbidden();
}

/** Browsers say which site a form belongs to, in one header or the other; other clients have only the token. */
function isOfThisSite({ headers }: Request, externalUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  // The host is another than that of `EXTERNAL_URL` where people use a second name of the service.
  return origin === undefined || origin === new URL(externalUrl).origin || isHost(origin, headers);
}

function isHost(origin: string, { host }: Request['headers']): boolean {
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
}

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
