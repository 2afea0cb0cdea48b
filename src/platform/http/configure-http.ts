import { ModulesContainer } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { type DomainError, routeNotFound } from '../errors/index.js';
import type { ReaderPace } from '../limits/index.js';
import { inNetworks } from '../net/index.js';
import { requestLog } from '../observability/index.js';
import { AnswerGuard } from './answers/answer.guard.js';
import { ApiExceptionFilter, type SendErrorPage } from './errors/exception.filter.js';
import { type AnswerTable, SHARED_ANSWERS } from './errors/refusal-answers.js';
import type { ApiFace, StatusProfile } from './face/api-face.js';
import { faceOf, findFace } from './face/request-face.js';
import { findRoutesBySegments, matchRoutesExactly } from './internals/express.js';
import { serveOpenApi } from './openapi/document.js';
import { serveExplorer } from './openapi/explorer.js';
import type { ParametersClass } from './parameters/declaration.js';
import { assertArgumentClasses } from './parameters/parameters.guard.js';
import { boundHeaders } from './request/bound-headers.js';
import { clientAddress } from './request/client-address.js';
import { queryReader, restDiscarder } from './request/parameter-reader.js';
import { connectionLimits, limitConnections } from './server/connection-limits.js';
import { crossOriginHeaders, preflightAnswer } from './server/cross-origin.js';
import { HttpDrain } from './server/drain.js';
import { inFairTurns } from './server/fair-turns.js';
import { requestSlots } from './server/request-slots.js';
import { cutOffSlowReaders, limitServer } from './server/slow-clients.js';
import { answerUnreadableRequests } from './server/unreadable-requests.js';

/** What answers depend on besides the address (`readCredential`). */
const CREDENTIAL_HEADERS = 'Authorization, Private-Token, Sudo';

export interface HttpOptions {
  /** The versions of the API. */
  readonly faces: readonly ApiFace[];
  /** The service's own address, without a trailing slash; known for sure once it listens. */
  readonly externalUrl: () => string;
  readonly statusProfile: () => StatusProfile;
  /** Identifies the program; another one may represent the same content differently. */
  readonly build: string;
  /** The folder that holds the checked-in interface documents and `dist`. */
  readonly packageRoot: string;
  readonly logger: Logger;
  /** Sends requests of browsers for the address of a resource to the route of its page. */
  readonly toPages?: RequestHandler;
  /** Chooses where requests that only read do so; without it, all read from the primary of the database. */
  readonly reads?: RequestHandler;
  /** Without it, browsers get the JSON of failures like all clients. */
  readonly sendErrorPage?: SendErrorPage;
  /** How slowly answers may be read; another than the ordinary pace in tests. */
  readonly readerPace?: ReaderPace;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[];
  /** Has the answers to the refusals of the rooms; without it, only those that all share are known. */
  readonly answers?: (face: ApiFace | undefined) => AnswerTable;
  /** Makes refusals of errors that the platform does not know; undefined leaves them faults. */
  readonly translate?: (failure: unknown) => DomainError | undefined;
}

/**
 * Configures an application that was created on an `HttpAdapter` with `bodyParser: false`, before it is
 * initialised. The composition root adds the guards: `BodyGuard`, authentication, `ParametersGuard`, abilities.
 *
 * @returns the means to end it gracefully
 * @throws Error when a controller declares arguments whose class is unknown at run time
 */
export function configureHttp(app: NestExpressApplication, options: HttpOptions): HttpDrain {
  assertArgumentClasses(controllersOf(app));
  const express = app.getHttpAdapter().getInstance();
  const server = app.getHttpServer();
  const drain = new HttpDrain(server);
  configureExpress(express, options.trustedProxies ?? []);
  limitServer(server);
  limitConnections(server, connectionLimits(options.trustedProxies ?? []));
  answerUnreadableRequests(server);
  cutOffSlowReaders(server, drain.inFlight, options.readerPace);
  const log = requestLog(options.logger, clientAddress);
  app.use(
    inTurn([
      boundHeaders,
      log,
      findFace(options.faces),
      apiHeaders,
      crossOriginHeaders,
      drain.middleware,
      inFairTurns(server),
      ...(options.toPages === undefined ? [] : [options.toPages]),
      restDiscarder,
      preflightAnswer,
      requestSlots(),
      ...(options.reads === undefined ? [] : [options.reads]),
      queryReader,
      refuseUnrouted,
      findRoutesBySegments(express, (request) => faceOf(request)?.prefix),
    ]),
  );
  for (const face of options.faces) {
    express.get(face.documentPath, serveOpenApi(options.packageRoot, face));
    serveExplorer(express, face, options);
  }
  const translate = options.translate ?? (() => undefined);
  const answers = options.answers ?? (() => SHARED_ANSWERS);
  app.useGlobalFilters(new ApiExceptionFilter(express, answers, translate, options.sendErrorPage));
  app.useGlobalGuards(new AnswerGuard(options.externalUrl, options.statusProfile, options.build));
  return drain;
}

function controllersOf(app: NestExpressApplication): ParametersClass[] {
  const modules = [...app.get(ModulesContainer).values()];
  return modules.flatMap(({ controllers }) => [...controllers.keys()] as ParametersClass[]);
}

function configureExpress(express: Express, proxies: readonly string[]): void {
  const trust = proxies.length === 0 ? false : inNetworks(proxies);
  express.disable('x-powered-by').set('etag', false).set('trust proxy', trust);
  matchRoutesExactly(express);
}

const apiHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (faceOf(request) !== undefined) {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    response.setHeader('Cache-Control', isRead ? 'private, no-cache' : 'no-store');
    if (isRead) response.setHeader('Vary', CREDENTIAL_HEADERS);
  }
  next();
};

/** Answers 404 for paths of the API that are no routes, although the pattern of a route matches. */
const refuseUnrouted: RequestHandler = (request, _response, next) => {
  const isUnrouted = faceOf(request)?.isUnrouted(request.path, request.method) === true;
  next(isUnrouted ? routeNotFound() : undefined);
};

/** One step of Express's router instead of one for each. */
function inTurn(handlers: readonly RequestHandler[]): RequestHandler {
  return handlers.reduceRight((then, handler) => (request, response, next) => {
    void handler(request, response, (failure?: unknown) => {
      if (failure === undefined) void then(request, response, next);
      else next(failure);
    });
  });
}
