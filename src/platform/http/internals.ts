import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Express, Request, RequestHandler } from 'express';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';

// Code that depends on internals of Nest, Express and Node's HTTP server. When an upgrade changes them,
// test/unit/http/internals.spec.ts fails or, for the server, connection-turns.spec.ts.

/** The body of a request as Node streams it. */
export interface BodyStream {
  readonly socket: Socket;
  /** Hands a piece to the reader, null for the end. @returns whether the reader wants more */
  passOn(piece: Buffer | null): boolean;
  /** Lets the connection be read. */
  readOn(): void;
}

/** Stands between the parser of a connection and the readers of a body. */
export interface Intake {
  /** Takes a piece, null for the end. @returns whether the connection may be read on at once */
  take(piece: Buffer | null): boolean;
  /** Whether the reader has to wait for more; the intake then calls `readOn`. */
  defersRead(): boolean;
}

interface ServerSteps {
  /** Wraps the application. */
  readonly listen: (handle: RequestListener) => RequestListener;
  readonly intake: (stream: BodyStream) => Intake;
}

/**
 * Creates a server for an Express application whose requests and responses have the prototypes of Express from the
 * start. Express would replace the prototype of each of them, which prevents optimised code for these objects: see
 * docs/decisions/0023-cheap-requests.md for the measured gain. Bodies pass through an intake, whether or not they are read.
 */
export function createExpressServer(express: Express, { listen, intake }: ServerSteps): Server {
  class ExpressRequest extends IncomingMessage {
    private intake: Intake | undefined;

    override push(piece: Buffer | null): boolean {
      if (piece === null && this.intake === undefined) return super.push(null);
      this.intake ??= intake({
        socket: this.socket,
        passOn: (passed) => super.push(passed),
        readOn: () => super._read(0),
      });
      return this.intake.take(piece);
    }

    override _read(size: number): void {
      if (this.intake?.defersRead() !== true) super._read(size);
    }

    /** Called for bodies that nobody reads. Node's own would hide their pieces from `push`. */
    _dump(): void {
      this.resume();
    }
  }
  class ExpressResponse extends ServerResponse<ExpressRequest> {}
  express.request = inheritFrom(ExpressRequest, express.request);
  express.response = inheritFrom(ExpressResponse, express.response);
  const handle = listen(express);
  const server = createServer(
    {
      IncomingMessage: ExpressRequest,
      ServerResponse: ExpressResponse,
      // Node's own refusal has no body; withPlainTarget refuses these requests.
      requireHostHeader: false,
    },
    handle,
  );
  // Node would answer 417 without a body; unknown expectations may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', handle);
  return server;
}

/** Makes the methods of Express the prototype of a class's prototype. */
function inheritFrom<T extends object>(target: { readonly prototype: object }, methods: T): T {
  return Object.setPrototypeOf(target.prototype, methods) as T;
}

/** What `onIncoming` of Node's parser returns for a connection that no longer speaks HTTP: it drops the chunk. */
const NO_MORE_HTTP = 2;

/** Node's parser of a connection. Its callbacks for bodies are properties whose numbers its class knows. */
interface Parser {
  onIncoming: (request: { upgrade: boolean }) => number;
  readonly constructor: { readonly kOnBody: number; readonly kOnMessageComplete: number };
  [callback: number]: unknown;
}

const parserOf = (socket: Socket): Parser => (socket as unknown as { parser: Parser }).parser;

/**
 * Stops a connection from emitting requests after the one being read, even those of the same chunk. Hundreds of
 * requests fit into a chunk, and pausing the socket would only keep back the next one. Responses to earlier requests
 * are still sent. What follows is dropped, and may be a `clientError` of the server, since a chunk can begin anywhere.
 */
export function stopRequests(socket: Socket): void {
  parserOf(socket).onIncoming = (request) => {
    // Node would hand over the socket to an upgrade or CONNECT, without a listener for its errors.
    request.upgrade = false;
    return NO_MORE_HTTP;
  };
}

/**
 * Stops a connection from emitting requests, and the rest of the body being read: ten thousand pieces of a body may
 * have been received together. Its request never ends.
 */
export function stopParsing(socket: Socket): void {
  const parser = parserOf(socket);
  const { kOnBody, kOnMessageComplete } = parser.constructor;
  const callbacks = [kOnBody, kOnMessageComplete].map((at) => [at, parser[at]] as const);
  for (const [at] of callbacks) parser[at] = null;
  // Node uses parsers for other connections later.
  socket.once('close', () => {
    for (const [at, callback] of callbacks) parser[at] = callback;
  });
  stopRequests(socket);
}

/** The server that accepted a connection. */
export const serverOf = (socket: Socket): Server =>
  (socket as unknown as { server: Server }).server;

/**
 * Makes routes case-sensitive. Nest has created the router before settings of Express can be changed, and the
 * router reads the property when routes are added. A differently spelled prefix would find a route without its
 * parameters, which are read for the exact prefix only.
 */
export function matchRoutesExactly(express: Express): void {
  Object.assign(express.router, { caseSensitive: true });
}

interface RoutedLayer {
  readonly route?: {
    readonly path: unknown;
    readonly methods: Readonly<Record<string, boolean>>;
  };
  match(path: string): unknown;
}

/** A router of Express, as far as it finds the routes of a request. */
interface RouteTable {
  readonly stack: readonly RoutedLayer[];
  readonly handle: RequestHandler;
}

const tableOf = (express: Express): RouteTable => express.router as unknown as RouteTable;

/** Which segments of a path below the prefix tell routes apart: `projects` and `issues` of `projects/:id/issues`. */
const TELLING_SEGMENTS = [0, 2];
/** Where a path of a route begins to have several forms. */
const VARIABLE_REST = /[*{(].*/;
const LITERAL = /^[\w.-]+$/;

/**
 * Handles requests below a prefix by the routes whose telling segments they have, in the order of all routes. Express
 * compares the path with the pattern of each route before it, hundreds of them. Requests without a route here go on as
 * without this handler. All routes have to be added before the first request.
 * @param prefixOf the prefix below which a request lies; undefined leaves it to Express
 */
export function findRoutesBySegments(
  express: Express,
  prefixOf: (request: Request) => string | undefined,
): RequestHandler {
  const indexes = new Map<string, RouteIndex>();

  return (request, response, next) => {
    const prefix = prefixOf(request);
    // Without a route for it, a router answers OPTIONS by itself.
    if (prefix === undefined || request.method === 'OPTIONS') {
      next();
      return;
    }
    let index = indexes.get(prefix);
    if (index === undefined) {
      index = new RouteIndex(tableOf(express), `${prefix}/`);
      indexes.set(prefix, index);
    }
    void index.tableFor(request.path).handle(request, response, next);
  };
}

/** The routes below a prefix by their telling segments. */
class RouteIndex {
  private readonly tables = new Map<string, RouteTable>();
  private readonly literals: ReadonlySet<string>;

  constructor(
    private readonly all: RouteTable,
    private readonly root: string,
  ) {
    this.literals = tellingLiterals(all.stack, root);
  }

  /** The routes that a path may have. */
  tableFor(path: string): RouteTable {
    const segments = path.slice(this.root.length).split('/', 3);
    const telling = TELLING_SEGMENTS.map((at) => segments[at] ?? '');
    // What no route is called by counts as one, so that there are few tables.
    const key = telling.map((segment) => (this.literals.has(segment) ? segment : '')).join('/');
    let table = this.tables.get(key);
    if (table === undefined) {
      table = this.makeTable(telling);
      this.tables.set(key, table);
    }
    return table;
  }

  private makeTable(telling: readonly string[]): RouteTable {
    const isCandidate = ({ route }: RoutedLayer): boolean =>
      route !== undefined && mayMatch(segmentsOf(route.path, this.root), telling);
    const stack = this.all.stack.filter(isCandidate);
    return Object.create(this.all, { stack: { value: stack } }) as RouteTable;
  }
}

/** The segments of a route's path below a prefix, up to where it has several forms; none for another route. */
function segmentsOf(path: unknown, root: string): string[] {
  if (typeof path !== 'string' || !path.startsWith(root)) return [];
  return path.slice(root.length).replace(VARIABLE_REST, '').split('/');
}

function tellingLiterals(stack: readonly RoutedLayer[], root: string): ReadonlySet<string> {
  const telling = stack.flatMap(({ route }) => {
    const segments = segmentsOf(route?.path, root);
    return TELLING_SEGMENTS.map((at) => segments[at] ?? '');
  });
  return new Set(telling.filter((segment) => LITERAL.test(segment)));
}

/** Whether a route may match a path with these telling segments. */
function mayMatch(segments: readonly string[], telling: readonly string[]): boolean {
  return TELLING_SEGMENTS.every((at, index) => {
    const segment = segments[at] ?? '';
    return !LITERAL.test(segment) || segment === telling[index];
  });
}

/**
 * Returns the verbs under which a path is routed, for the `Allow` header; none for an unknown path. Express has no
 * such look-up. Runs only for requests without handler.
 */
export function allowedVerbs(express: Express, url: string): string[] {
  const path = url.split('?')[0] ?? '/';
  const verbs = new Set<string>();
  for (const layer of express.router.stack as unknown as RoutedLayer[]) {
    if (layer.route === undefined || !matches(layer, path)) continue;
    for (const verb of Object.keys(layer.route.methods)) {
      verbs.add(verb.toUpperCase());
    }
  }
  if (verbs.has('GET')) verbs.add('HEAD');
  return [...verbs].sort();
}

function matches(layer: RoutedLayer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    return false;
  }
}

/** Replaces the query or body of a request. Express defines `query` as a getter, which an own property hides. */
export function replaceParameters(
  request: object,
  property: 'query' | 'body',
  value: object,
): void {
  Object.defineProperty(request, property, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/** The source of an argument of a handler, as far as the platform needs it. */
type ArgumentSource = 'path' | 'query' | 'body' | 'response';

export interface RouteArgument {
  readonly source: ArgumentSource;
  /** The name of the selected value (`@Query('name')`), undefined for all values. */
  readonly selected: unknown;
  /** The declared class; `Object` or, compiled by tsc, `Function` for one that is imported as a type. */
  readonly type: unknown;
}

const SOURCES: ReadonlyMap<string, ArgumentSource> = new Map([
  [String(RouteParamtypes.PARAM), 'path'],
  [String(RouteParamtypes.QUERY), 'query'],
  [String(RouteParamtypes.BODY), 'body'],
  [String(RouteParamtypes.RESPONSE), 'response'],
]);

/** Returns the arguments of a controller's method from the metadata of Nest's decorators, which has no public API. */
export function routeArguments(
  controller: { readonly prototype: unknown },
  method: string,
): RouteArgument[] {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { readonly index: number; readonly data: unknown }
  >;
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as unknown[];
  return Object.entries(declared).flatMap(([key, { index, data }]) => {
    // The keys are `<kind of argument>:<index>`.
    const source = SOURCES.get(key.split(':')[0] ?? '');
    return source === undefined ? [] : [{ source, selected: data, type: types[index] }];
  });
}
