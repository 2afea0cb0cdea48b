import type { Express, Request, RequestHandler } from 'express';
import type { RequestListener, Server } from 'node:http';
import { type BodyStream, createInheritingServer, type Intake } from './node.js';

// Code that depends on internals of Express. When an upgrade changes them, test/unit/http/internals.spec.ts fails.

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
  const { server, request, response } = createInheritingServer({
    handle: listen(express),
    intake,
    methods: express,
  });
  Object.assign(express, { request, response });
  return server;
}

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
/** Where a path of a route begins to have parameters or several forms. */
const PATTERN = /[:*{(].*/;
/** Where it begins to have several forms. */
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
      route !== undefined &&
      mayLieBelow(route.path, this.root) &&
      mayMatch(segmentsOf(route.path, this.root), telling);
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

/** Whether a route may match a path below a prefix: those of the pages and of other versions of the API do not. */
function mayLieBelow(path: unknown, root: string): boolean {
  if (typeof path !== 'string') return true;
  const literal = path.replace(PATTERN, '');
  return literal.startsWith(root) || root.startsWith(literal);
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
