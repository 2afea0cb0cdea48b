import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { parseQueryString } from './form-fields.js';
import { readOf } from './request-parameters.js';

/** The credentials of a request, not checked yet. */
interface Credential {
  readonly token: string | undefined;
  /** The user that an administrator acts as: an ID or a user name. */
  readonly sudo: string | undefined;
}

const BEARER = /^bearer +(\S.*)$/i;

/**
 * The credential of a request (docs/reference/authentication.md#private-tokens): the parameter,
 * else the header, else the bearer token. A blank value counts as absent, so the next place is
 * looked at. Of a request whose body is not read, outside the API or not yet, the query string
 * alone has parameters.
 */
export function readCredential(request: Request): Credential {
  const { parameters } = readOf(request) ?? parseQueryString(request.url);
  return {
    token:
      filled(parameters['private_token']) ??
      filled(request.headers['private-token']) ??
      bearerToken(request),
    sudo: filled(parameters['sudo']) ?? filled(request.headers['sudo']),
  };
}

/** The token of an `Authorization: Bearer` header. */
export const bearerToken = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined =>
  filled(BEARER.exec(headers.authorization ?? '')?.[1]);

function filled(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  return trimmed === '' ? undefined : trimmed;
}

interface BasicCredential {
  login: string;
  secret: string;
}

/** The user name and password of an `Authorization` header; null for none and for other schemes. */
export function parseBasic(authorization: string | undefined): BasicCredential | null {
  const encoded = /^basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return null;
  const [login, secret] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return decoded.includes('\0') || login === '' ? null : { login, secret };
}
