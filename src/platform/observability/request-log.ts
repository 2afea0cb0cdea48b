import type { Request, RequestHandler } from 'express';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Level, Logger } from 'pino';
import { AttachedValue } from '../async/index.js';
import { requestDuration } from '../metrics/index.js';
import { RequestFollower } from './follow-request.js';
import { redactUrl } from './redact-url.js';

const HARMLESS_ID = /^[\w.-]{1,64}$/;
const PROBES = new Set(['/healthz', '/readyz']);

/** Whether a path is asked by load balancers, to learn how the process is. */
export const isProbe = (path: string): boolean => PROBES.has(path);

const failures = new AttachedValue<Error>();
const callers = new AttachedValue<number>();

/** Notes why a request is answered with a 5xx, for its line in the log. */
export function noteFailure(response: object, failure: Error): void {
  failures.set(response, failure);
}

/** Notes the account that a request is made as, for its line in the log. */
export function noteCaller(request: object, userId: number): void {
  callers.set(request, userId);
}

/**
 * One line per request: who asked for what, how it ended, how long it took and how many statements. Nothing of headers and
 * bodies is logged but the user agent and `sudo`, which says on whose behalf an administrator acted.
 */
export function requestLog(
  logger: Logger,
  addressOf: (request: Request) => string,
): RequestHandler {
  // What a line says is chosen here, so nothing has to be searched for secrets.
  const lines = logger.child({}, { redact: [] });
  const follower = new RequestFollower(() => lines.isLevelEnabled('info'));
  return (request, response, next) => {
    const id = requestId(request, response);
    const begin = performance.now();
    // A connection that is closed has no address any more.
    const remoteAddress = addressOf(request);
    // Without a listener, an error of a response would end the process.
    response.on('error', (failure) => noteFailure(response, failure));
    const followed = follower.begin(request);
    response.once('close', () => {
      const elapsedMs = performance.now() - begin;
      const { headers, method, originalUrl } = request;
      const { statusCode: status } = response;
      const route = routeOf(request);
      requestDuration.observe({ method, route, status }, elapsedMs / 1000);
      const userId = callers.get(request);
      const err = failures.get(response);
      // Objects are written out: spreading others into them takes half as long as all else here.
      followed.end({ method, route, status, userId, requestId: id, failure: err });
      const level = levelOf(originalUrl, status, err);
      if (!lines.isLevelEnabled(level)) return;
      const line = {
        requestId: id,
        req: {
          method,
          url: redactUrl(originalUrl),
          userAgent: headers['user-agent'],
          sudo: headers['sudo'],
          remoteAddress,
        },
        res: { statusCode: status },
        durationMs: Math.round(elapsedMs),
        route,
        userId,
        statements: followed.statements,
        traceId: followed.traceId,
        err,
      };
      lines[level](line, outcome(response, err));
    });
    followed.handle(next);
  };
}

/** The template of the route, with the names of its parameters; empty if no route was found. */
const routeOf = (request: Request): string =>
  (request.route as { readonly path?: string } | undefined)?.path ?? '';

function levelOf(originalUrl: string, status: number, err: Error | undefined): Level {
  if (err !== undefined || status >= 500) return 'error';
  return PROBES.has(originalUrl) ? 'debug' : 'info';
}

function outcome(response: ServerResponse, err: Error | undefined): string {
  if (err !== undefined || response.statusCode >= 500) return 'request errored';
  return response.writableEnded ? 'request completed' : 'request aborted';
}

/**
 * The id under which a request is logged. A caller's own id is taken over if it is short and harmless,
 * so that it can be followed through several services. It is answered in `X-Request-Id`, on errors
 * too, whose bodies are fixed and have no place for it.
 */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const sent = request.headers['x-request-id'];
  const id = typeof sent === 'string' && HARMLESS_ID.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}
