import type { NextFunction, Request } from 'express';
import { type CallScope, Deferred, runInScope, settlesWithin } from '../async/index.js';
import { newScope, parseTraceparent, type Span, startTrace } from '../tracing/index.js';
import { redactUrl } from './redact-url.js';

/**
 * For which part of the time reads that are not traced are followed, to count their statements. To follow a request, Node
 * has to follow every promise of the process meanwhile, which costs a busy one a quarter of what its reads take
 * (docs/decisions/0058-traces.md).
 */
const FOLLOWED_PART = 0.01;
/** How many milliseconds of it are saved up at most while few reads come, and owed after slow ones. */
const MAX_SAVED_MS = 500;
/** After this time such a request is not followed any more. */
const LONGEST_MS = 5_000;
const API_PATH = '/api/';

/** How a request ended. */
export interface RequestEnd {
  readonly method: string;
  /** The template of the route; empty if no route was found. */
  readonly route: string;
  readonly status: number;
  readonly userId: number | undefined;
  readonly requestId: string;
  readonly failure: Error | undefined;
}

/** Follows requests: traces them, and counts the statements that they take. */
export class RequestFollower {
  private readonly savings = new Savings();

  /** @param isLogged whether lines of requests are logged at all */
  constructor(private readonly isLogged: () => boolean) {}

  /** Begins to follow a request, as far as it is followed. */
  begin(request: Request): FollowedRequest {
    const parent = parseTraceparent(request.headers['traceparent']);
    const span = startTrace(request.method, { kind: 'server' }, parent);
    const isFollowed = span !== undefined || this.isCounted(request);
    return new FollowedRequest(request, {
      span,
      scope: isFollowed ? newScope(span) : undefined,
      savings: span === undefined && isRead(request) ? this.savings : undefined,
      traceId: span?.context.traceId ?? parent?.traceId,
    });
  }

  private isCounted(request: Request): boolean {
    if (!request.originalUrl.startsWith(API_PATH) || !this.isLogged()) return false;
    // Units of work have Node follow promises anyway.
    return !isRead(request) || this.savings.areLeft();
  }
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** The time for which reads may be followed. It grows all the time, and what reads take of it is subtracted afterwards. */
class Savings {
  private ms = MAX_SAVED_MS;
  private countedAt = performance.now();

  areLeft(): boolean {
    const now = performance.now();
    this.ms = Math.min(MAX_SAVED_MS, this.ms + (now - this.countedAt) * FOLLOWED_PART);
    this.countedAt = now;
    return this.ms > 0;
  }

  spend(ms: number): void {
    this.ms = Math.max(-MAX_SAVED_MS, this.ms - ms);
  }
}

interface Following {
  readonly span: Span | undefined;
  readonly scope: CallScope | undefined;
  /** Those which the time is taken from, of a read that is not traced. */
  readonly savings: Savings | undefined;
  readonly traceId: string | undefined;
}

/** A request that is under way. */
class FollowedRequest {
  /** Of the trace that the request is part of, recorded or not. */
  readonly traceId: string | undefined;
  /** Settles when the request has ended; of one that is not followed there is none. */
  private closed: Deferred<void> | undefined;
  private wasLeft = false;

  constructor(
    private readonly request: Request,
    private readonly following: Following,
  ) {
    this.traceId = following.traceId;
  }

  /** How many it has sent; undefined if they were not counted to the end. */
  get statements(): number | undefined {
    return this.wasLeft ? undefined : this.following.scope?.counts.statements;
  }

  /** Lets the request be handled. */
  handle(next: NextFunction): void {
    const { scope, span, savings } = this.following;
    if (scope === undefined) {
      next();
      return;
    }
    this.closed = new Deferred();
    const { promise: closed } = this.closed;
    const began = performance.now();
    runInScope(scope, async () => {
      next();
      if (span !== undefined) await closed;
      else this.wasLeft = !(await settlesWithin(closed, LONGEST_MS));
      savings?.spend(performance.now() - began);
    }).catch(next);
  }

  /** Called when the response was sent, or the connection ended. */
  end({ method, route, status, userId, requestId, failure }: RequestEnd): void {
    this.closed?.resolve();
    const { span } = this.following;
    if (span === undefined) return;
    const [path, query] = redactUrl(this.request.originalUrl).split('?', 2);
    span.rename(route === '' ? method : `${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.route': route === '' ? undefined : route,
      'http.response.status_code': status,
      'url.path': path,
      'url.query': query,
      'user.id': userId === undefined ? undefined : String(userId),
      'trellis.request_id': requestId,
    });
    span.end(failure ?? (status >= 500 ? { code: status } : undefined));
  }
}
