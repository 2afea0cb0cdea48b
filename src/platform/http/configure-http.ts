import { ModulesContainer } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { type DomainError, routeNotFound } from '../errors/index.js';
import type { ReaderPace } from '../limits/index.js';
import { inNetworks } from '../net/index.js';
import { requestLog } from '../observability/index.js';
import { AnswerGuard, type StatusProfile } from './answers/answer.guard.js';
import { API_PREFIX, isApiPath, normalizePath } from './api-paths.js';
import { ApiExceptionFilter, type SendErrorPage } from './errors/exception.filter.js';
import { type AnswerTable, SHARED_ANSWERS } from './errors/refusal-answers.js';
import { answerUnknownPaths, findRoutesBySegments, matchRoutesExactly } from './internals.js';
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
  /** The service's own address, without a trailing slash; known for sure once it listens. */
  readonly externalUrl: () => string;
  readonly statusProfile: () => StatusProfile;
  /** Identifies the program; another one may represent the same content differently. */
  readonly build: string;
  /** The folder that holds the checked-in interface document, `openapi.json`, and `dist`. */
  readonly packageRoot: string;
  readonly logger: Logger;
  /** Paths of routes outside the API, as their controllers declare them (health, Git over HTTP). */
  readonly unprefixed?: readonly string[];
  /** Match paths, without the prefix, that are no routes although a route's pattern matches; for all verbs and callers. */
  readonly unrouted?: readonly RegExp[];
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
  /** Answers the refusals of the rooms; without it, only those that all share are known. */
  readonly answers?: () => AnswerTable;
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
      normalizePath,
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
      refusePaths(options.unrouted ?? []),
      findRoutesBySegments(express, API_PREFIX),
    ]),
  );
  express.get(`${API_PREFIX}/openapi.json`, serveOpenApi(options.packageRoot));
  serveExplorer(express, options);
  app.setGlobalPrefix(API_PREFIX.slice(1), { exclude: [...(options.unprefixed ?? [])] });
  answerUnknownPaths(app);
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
  if (isApiPath(request.path)) {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    response.setHeader('Cache-Control', isRead ? 'private, no-cache' : 'no-store');
    if (isRead) response.setHeader('Vary', CREDENTIAL_HEADERS);
  }
  next();
};

/** Answers 404 for paths of the API that match a pattern. */
function refusePaths(patterns: readonly RegExp[]): RequestHandler {
  const root = `${API_PREFIX}/`;
  return ({ path }, _response, next) => {
    const rest = path.startsWith(root) ? path.slice(root.length) : '';
    next(patterns.some((pattern) => pattern.test(rest)) ? routeNotFound() : undefined);
  };
}

/** One step of Express's router instead of one for each. */
function inTurn(handlers: readonly RequestHandler[]): RequestHandler {
  return handlers.reduceRight((then, handler) => (request, response, next) => {
    void handler(request, response, (failure?: unknown) => {
      if (failure === undefined) void then(request, response, next);
      else next(failure);
    });
  });
}
