import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  NotFoundException,
} from '@nestjs/common';
import type { Express, Request, Response } from 'express';
import { STATUS_CODES } from 'node:http';
import {
  ClientDisconnectedError,
  DomainError,
  forbidden,
  invalidParameter,
  routeNotFound,
  storeRefusal,
  tooLarge,
  tooManyRequests,
  unauthenticated,
  unavailable,
  verbNotRouted,
} from '../../errors/index.js';
import { SlotsTakenError } from '../../limits/index.js';
import { exceededBudgets } from '../../metrics/index.js';
import { noteFailure } from '../../observability/index.js';
import { sendJson } from '../answers/send-json.js';
import type { ApiFace } from '../face/api-face.js';
import { faceOf } from '../face/request-face.js';
import { allowedVerbs } from '../internals/express.js';
import { prefersHtml } from '../request/prefers-html.js';
import type { AnswerTable } from './refusal-answers.js';
import type { ErrorAnswer } from './room-answers.js';
import { UNEXPECTED } from './shared-answers.js';

/** The budgets of which a refusal says that a request has exceeded them; slots are counted where they are taken. */
const BUDGETS: Partial<Record<DomainError['detail']['code'], string>> = {
  'too-large': 'body_size',
  'too-slow': 'body_pace',
};

/**
 * Answers a failure with a page.
 * @param response has the status and headers of the answer
 */
export type SendErrorPage = (answer: ErrorAnswer, response: Response) => Promise<void>;

/**
 * Answers every failure. Refusals are answered as the tables of the request's face say; anything unexpected is a bare
 * 500 whose details go to the log alone, under the id that the answer carries in `X-Request-Id`. Browsers get a page outside
 * the API.
 */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  /** @param translate makes refusals of errors that the platform does not know */
  constructor(
    private readonly express: Express,
    private readonly answers: (face: ApiFace | undefined) => AnswerTable,
    private readonly translate: (failure: unknown) => DomainError | undefined,
    private readonly sendErrorPage: SendErrorPage | undefined,
  ) {}

  catch(failure: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    // There is no client left to answer, and no failure to log.
    if (failure instanceof ClientDisconnectedError) return;
    const answer = this.answerTo(failure, request);
    // The request log writes it, with the request's id, when the response is done.
    if (answer.status >= 500) noteFailure(response, asError(failure));
    if (response.headersSent) {
      // Half a body is out: only a broken connection tells the client that the rest is missing.
      response.destroy();
      return;
    }
    begin(answer, response);
    if (this.sendErrorPage !== undefined && prefersHtml(request)) {
      this.sendErrorPage(answer, response).catch((error: unknown) => {
        noteFailure(response, asError(error));
        response.destroy();
      });
    } else if (answer.body === undefined) response.end();
    else sendJson(response, JSON.stringify(answer.body));
  }

  private answerTo(failure: unknown, request: Request): ErrorAnswer {
    const refusal = this.refusalFor(failure, request);
    if (refusal) {
      const budget = BUDGETS[refusal.detail.code];
      if (budget !== undefined) exceededBudgets.inc({ budget });
      return this.answers(faceOf(request)).answer(refusal);
    }
    if (failure instanceof HttpException) return genericAnswer(failure.getStatus());
    return UNEXPECTED;
  }

  private refusalFor(failure: unknown, request: Request): DomainError | undefined {
    if (failure instanceof DomainError) return failure;
    if (failure instanceof SlotsTakenError) return busy(failure);
    const translated = this.translate(failure);
    if (translated !== undefined) return translated;
    const trouble = storeRefusal(failure);
    if (trouble !== undefined) return trouble;
    // Refusals are domain errors everywhere: only Nest's router throws this one.
    if (failure instanceof NotFoundException) {
      const allowed = allowedVerbs(this.express, request.url);
      return allowed.length > 0 ? verbNotRouted(allowed) : routeNotFound();
    }
    return byStatus(statusOf(failure));
  }
}

function busy({ isCallers, retryAfterSeconds }: SlotsTakenError): DomainError {
  return isCallers ? tooManyRequests(retryAfterSeconds) : unavailable(retryAfterSeconds);
}

function begin(answer: ErrorAnswer, response: Response): void {
  // What the handler had prepared for its success says nothing about the failure.
  for (const name of ['Content-Type', 'Content-Length', 'Content-Disposition', 'ETag']) {
    response.removeHeader(name);
  }
  response.status(answer.status).set(answer.headers ?? {});
}

// Express reports an escape that cannot be decoded with a status, Nest the refusal of a guard.
function statusOf(failure: unknown): number | undefined {
  if (failure instanceof HttpException) return failure.getStatus();
  const { status, expose } = failure instanceof Error ? (failure as Partial<HttpError>) : {};
  return failure instanceof URIError || expose === true ? status : undefined;
}

interface HttpError {
  status: number;
  expose: boolean;
}

function byStatus(status: number | undefined): DomainError | undefined {
  switch (status) {
    case 400:
      return invalidParameter('400 Bad Request');
    case 401:
      return unauthenticated();
    case 403:
      return forbidden();
    case 413:
      return tooLarge();
    case 503:
      return unavailable();
    default:
      return undefined;
  }
}

function genericAnswer(status: number): ErrorAnswer {
  if (status >= 500) return UNEXPECTED;
  return { status, body: { message: `${status} ${STATUS_CODES[status] ?? 'Error'}` } };
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(`thrown: ${String(failure)}`);
}
