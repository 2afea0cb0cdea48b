import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { RepositoryMissingError } from '../../../git/index.js';
import {
  ClientDisconnectedError,
  type DetailOf,
  STORE_RETRY_SECONDS,
} from '../../../platform/errors/index.js';
import { SlotsTakenError } from '../../../platform/limits/index.js';
import { findUnavailability } from '../../repository/index.js';
import { TooManyFetchesError } from '../transport-slots.js';
import { unavailableText } from '../unavailable-text.js';

/** A refusal of a request by a git client, in plain text (docs/reference/git.md#http). */
export class GitHttpRefusal extends Error {
  override readonly name = 'GitHttpRefusal';

  constructor(
    readonly status: number,
    text: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(text);
  }
}

export const challenge = (): GitHttpRefusal =>
  new GitHttpRefusal(401, 'HTTP Basic: Access denied', {
    'WWW-Authenticate': 'Basic realm="Git"',
  });

export const beingFilled = (): GitHttpRefusal =>
  new GitHttpRefusal(503, 'The repository is still being filled. Try again later.', {
    'Retry-After': '10',
  });

export const missing = (): GitHttpRefusal => new GitHttpRefusal(404, 'Not Found');

export const shutOut = (): GitHttpRefusal => new GitHttpRefusal(403, 'Forbidden');

/** @param retryAfterSeconds whole seconds */
export const tooManyAttempts = (retryAfterSeconds: number): GitHttpRefusal =>
  new GitHttpRefusal(429, 'Too Many Requests', { 'Retry-After': String(retryAfterSeconds) });

export const denied = (): GitHttpRefusal => new GitHttpRefusal(403, 'Access denied');

/** See docs/reference/git.md#protocols. */
export const protocolDisabled = (): GitHttpRefusal =>
  new GitHttpRefusal(403, 'Git access over HTTP is not allowed');

const FAILED = new GitHttpRefusal(500, 'Internal Server Error');

/** Ends of requests that are no failures of the service. */
const EXPECTED = [
  GitHttpRefusal,
  SlotsTakenError,
  TooManyFetchesError,
  ClientDisconnectedError,
  RepositoryMissingError,
] as const;

/** Answers failed requests of git clients in plain text. Errors that are not refusals are logged only. */
@Catch()
export class GitHttpFilter implements ExceptionFilter {
  private readonly logger = new Logger(GitHttpFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (!EXPECTED.some((type) => error instanceof type)) {
      this.logger.error('A git request failed', error);
    }
    // Once the answer has begun, only a broken connection can show that it is incomplete.
    if (response.headersSent) response.destroy();
    else send(response, refusalFor(error));
  }
}

function refusalFor(error: unknown): GitHttpRefusal {
  if (error instanceof GitHttpRefusal) return error;
  if (error instanceof TooManyFetchesError) return tooManyFetches(error);
  if (error instanceof SlotsTakenError) return slotsTaken(error);
  const detail = findUnavailability(error);
  return detail === undefined ? FAILED : unavailable(detail);
}

/** Git shows the text of the first request of a fetch or push. */
function unavailable(detail: DetailOf<'unavailable'>): GitHttpRefusal {
  const headers = { 'Retry-After': String(detail.retryAfterSeconds ?? STORE_RETRY_SECONDS) };
  return new GitHttpRefusal(503, unavailableText(detail), headers);
}

/** Git shows the text of the first request of a fetch. */
function tooManyFetches({ message, retryAfterSeconds }: TooManyFetchesError): GitHttpRefusal {
  return new GitHttpRefusal(429, message, { 'Retry-After': String(retryAfterSeconds) });
}

/** The text is the status alone, since git shows its user nothing else; `Retry-After` says when to retry. */
function slotsTaken({ isCallers, retryAfterSeconds }: SlotsTakenError): GitHttpRefusal {
  const [status, text] = isCallers ? [429, 'Too Many Requests'] : [503, 'Service Unavailable'];
  return new GitHttpRefusal(status, text, { 'Retry-After': String(retryAfterSeconds) });
}

function send(response: Response, refusal: GitHttpRefusal): void {
  response.status(refusal.status).set(refusal.headers).type('text/plain').send(refusal.message);
}
