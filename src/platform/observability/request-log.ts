import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { Level, Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { redactUrl } from './redact-url.js';
import { requestId } from './request-id.js';

const PROBES = new Set(['/healthz', '/readyz']);

/**
 * One line per request: who asked for what, how it ended and how long it took. Nothing of headers and
 * bodies is logged but the user agent and `sudo`, which says on whose behalf an administrator acted.
 */
export function requestLog(logger: Logger): RequestHandler {
  return pinoHttp<Request>({
    logger,
    genReqId: requestId,
    quietReqLogger: true,
    wrapSerializers: false,
    customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
    customLogLevel: levelOf,
    serializers: { req: describeRequest, res: describeResponse },
  });
}

function levelOf(request: IncomingMessage, response: ServerResponse, error?: Error): Level {
  if (error !== undefined || response.statusCode >= 500) return 'error';
  return PROBES.has(request.url ?? '') ? 'debug' : 'info';
}

function describeRequest(request: Request): object {
  const { headers, method, originalUrl, socket } = request;
  return {
    method,
    url: redactUrl(originalUrl),
    remoteAddress: socket.remoteAddress,
    userAgent: headers['user-agent'],
    sudo: headers['sudo'],
  };
}

function describeResponse({ statusCode }: ServerResponse): object {
  return { statusCode };
}
