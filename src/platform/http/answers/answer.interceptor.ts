import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Page } from '../pages/page.js';
import { pageHeaders } from '../pages/page-headers.js';
import { readOf } from '../request/request-parameters.js';
import { routeArguments } from '../route-arguments.js';
import { EMPTY_WHEN_ABSENT, FIXED_STATUS, type StatusProfile } from './status.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Turns what a handler of the API returned into status, headers and body. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  constructor(
    private readonly externalUrl: () => string,
    private readonly profile: StatusProfile,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    // Nest presets 201 for a POST, also where a handler streams its own answer (Git over HTTP).
    response.status(200);
    if (readOf(request) === undefined || answersItself(context)) return next.handle();
    return next.handle().pipe(map((result) => this.answer(result, context, request, response)));
  }

  private answer(
    result: unknown,
    context: ExecutionContext,
    request: Request,
    response: Response,
  ): unknown {
    const status = this.statusOf(context, request);
    response.status(status);
    if (status === 204) return undefined;
    if (result instanceof StreamableFile) return result;
    if (result instanceof Page) {
      response.set(pageHeaders(result, this.externalUrl(), request.url));
      return result.items;
    }
    if (typeof result === 'object' && result !== null) return result;
    return absent(result) && emptyWhenAbsent(context)
      ? undefined
      : scalar(result ?? null, response);
  }

  private statusOf(context: ExecutionContext, request: Request): number {
    const fixed = Reflect.getMetadata(FIXED_STATUS, context.getHandler()) as number | undefined;
    if (fixed !== undefined) return fixed;
    return request.method === 'POST' && this.profile === 'gitlab' ? 201 : 200;
  }
}

// Nest would send a scalar as text; a string with a type set goes out as it is.
function scalar(value: unknown, response: Response): string {
  response.set('Content-Type', JSON_TYPE);
  return JSON.stringify(value);
}

function absent(result: unknown): boolean {
  return result === undefined || result === null;
}

function emptyWhenAbsent(context: ExecutionContext): boolean {
  return Reflect.getMetadata(EMPTY_WHEN_ABSENT, context.getHandler()) === true;
}

// A handler that asked for the response writes it on its own, like a stream of an archive.
function answersItself(context: ExecutionContext): boolean {
  const args = routeArguments(context.getClass(), context.getHandler().name);
  return args.some(({ source }) => source === 'response');
}
