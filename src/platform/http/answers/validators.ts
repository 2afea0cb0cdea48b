import type { Request, Response } from 'express';
import { hash } from 'node:crypto';

/** Characters of a validator: 132 bits. */
const LENGTH = 22;

/**
 * Computes the validator of an answer for `ETag`. It is weak, since a proxy may compress the body.
 * @param basis everything that the answer depends on, or its headers and body
 */
export function validatorOf(basis: string): string {
  return `W/"${hash('sha256', basis, 'base64url').slice(0, LENGTH)}"`;
}

/**
 * Sets the validator of an answer, and ends the response with 304 if the client has this answer already
 * (`If-None-Match`).
 * @returns whether the response has ended
 */
export function endIfKnown(response: Response, validator: string): boolean {
  const request = response.req as Request;
  response.setHeader('ETag', validator);
  // Also decides by Express, which looks at more headers than most requests have.
  if (request.headers['if-none-match'] === undefined || !request.fresh) return false;
  response.statusCode = 304;
  response.end();
  return true;
}
