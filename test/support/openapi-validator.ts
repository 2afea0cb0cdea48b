import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { FACES, V4 } from '../../src/faces/index.js';
import { withPlainSlashes } from '../../src/platform/http/face/request-face.js';
import type { ApiFace } from '../../src/platform/http/index.js';
import { ENTITY_OF_VIEW, pointer, readEntities } from './v4-entities.js';

/** A response as a test saw it. */
export interface SeenResponse {
  readonly method: string;
  /** The path with its query string, as it was requested. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body, undefined for none. */
  readonly body: unknown;
}

type Json = Readonly<Record<string, unknown>>;

interface DocumentedOperation {
  readonly path: string;
  readonly pattern: RegExp;
  readonly responses: Json;
}

const JSON_TYPE = 'application/json';
const LONG_PATH = 1_000;
const DOCUMENT_ID = 'https://trellis.invalid/openapi.json';
const ENTITIES_ID = 'https://trellis.invalid/entities.json';

/**
 * Compares responses with the interface document of a face: the route, its status, its headers and
 * its body, whose objects have all documented properties and no other. What the entities of version 4 say is compared, too.
 */
export class OpenApiValidator {
  private readonly operations = new Map<string, DocumentedOperation[]>();
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

  constructor(
    document: object,
    private readonly face: ApiFace,
  ) {
    const strict = strictly(withResponses(document as Json)) as Json;
    this.ajv.addSchema({ $id: ENTITIES_ID, ...readEntities() });
    const known = face === V4 ? withEntities(strict) : strict;
    this.ajv.addSchema({ $id: DOCUMENT_ID, ...known });
    const paths = strict['paths'] as Record<string, Record<string, Json>>;
    for (const [path, item] of Object.entries(paths)) {
      for (const [verb, operation] of Object.entries(item)) {
        const known = this.operations.get(verb) ?? [];
        known.push({ path, pattern: patternOf(path), responses: operation['responses'] as Json });
        this.operations.set(verb, known);
      }
    }
    // A literal segment beats a parameter, as on the router.
    for (const known of this.operations.values()) known.sort(byParameters);
  }

  /** What is wrong with a response, one line each; empty when it is as documented. */
  violations(seen: SeenResponse): string[] {
    const path = this.routedPath(seen);
    const title = `${seen.method} ${seen.path} (${seen.status})`;
    const operation = this.operationOf(seen.method, path);
    if (operation === undefined) {
      const fits = [404, 405].includes(seen.status) && isErrorBody(seen.body);
      return fits ? [] : [`${title}: the route is not documented`];
    }
    const documented = operation.responses[String(seen.status)] as Json | undefined;
    if (documented === undefined) return [`${title}: the status is not documented`];
    return [
      ...headerViolations(documented, seen),
      ...this.bodyViolations(operation, documented, seen),
    ].map((text) => `${title}: ${text}`);
  }

  private routedPath({ method, path }: SeenResponse): string {
    const plain = withPlainSlashes(path.split('?')[0] ?? '');
    const whole = this.face.has(plain) ? plain : this.face.prefix + plain;
    return `/${this.face.relative(this.face.normalize(whole, method.toUpperCase()))}`;
  }

  private operationOf(method: string, path: string): DocumentedOperation | undefined {
    const verb = method.toLowerCase() === 'head' ? 'get' : method.toLowerCase();
    return this.operations.get(verb)?.find(({ pattern }) => pattern.test(path));
  }

  private bodyViolations(operation: DocumentedOperation, documented: Json, seen: SeenResponse) {
    const content = documented['content'] as Json | undefined;
    if (seen.method.toLowerCase() === 'head') return [];
    const empty = seen.body === undefined || seen.body === '';
    if (content === undefined) return empty ? [] : ['a body that is not documented'];
    // Where there may be nothing to answer, the schema takes null for the empty body.
    const type = empty ? JSON_TYPE : typeOf(seen);
    if (!(type in content)) return [`the type "${type}" is not documented`];
    const validate = this.validatorOf(operation.path, seen, type);
    return validate(empty ? null : seen.body) ? [] : (validate.errors ?? []).map(readable);
  }

  private validatorOf(path: string, seen: SeenResponse, type: string): ValidateFunction {
    const verb = seen.method.toLowerCase();
    const pointer = [
      'paths',
      path,
      verb,
      'responses',
      String(seen.status),
      'content',
      type,
      'schema',
    ]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const known = this.validators.get(pointer);
    if (known) return known;
    const made = this.ajv.compile({ $ref: `${DOCUMENT_ID}#/${pointer}` });
    this.validators.set(pointer, made);
    return made;
  }
}

/** The document with its shared responses in the place of the references to them. */
function withResponses(document: Json): Json {
  const shared = (document['components'] as Json)['responses'] as Record<string, Json> | undefined;
  const name = ({ $ref }: { $ref?: string }): string => $ref?.split('/').at(-1) ?? '';
  const resolved = (operation: Json): Json => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation['responses'] as Record<string, Json>).map(([status, response]) => [
        status,
        shared?.[name(response)] ?? response,
      ]),
    ),
  });
  const paths = Object.entries(document['paths'] as Record<string, Record<string, Json>>).map(
    ([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([verb, operation]) => [verb, resolved(operation)]),
      ),
    ],
  );
  return { ...document, paths: Object.fromEntries(paths) as Json };
}

/** The document with what is known of the entities that its views show. */
function withEntities(document: Json): Json {
  const components = document['components'] as Record<string, Record<string, Json>>;
  const schemas = Object.entries(components['schemas'] ?? {}).map(([view, schema]) => {
    const entity = ENTITY_OF_VIEW[view];
    if (entity === undefined) return [view, schema];
    return [view, { allOf: [schema, { $ref: `${ENTITIES_ID}#/${pointer(entity)}` }] }];
  });
  return {
    ...document,
    components: { ...components, schemas: Object.fromEntries(schemas) as Json },
  };
}

// A view shows all its fields, null where there is nothing to show; a document that lists properties
// means exactly those.
function strictly(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strictly);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, strictly(value)]),
  );
  const object = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return object && copy['additionalProperties'] === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}

// JSON has no parameters, and some clients compare the whole header.
function typeOf({ headers }: SeenResponse): string {
  const type = String(headers['content-type'] ?? '');
  return type.startsWith(JSON_TYPE) ? type : (type.split(';')[0] ?? '');
}

function headerViolations(documented: Json, { headers, path }: SeenResponse): string[] {
  const missing = Object.keys((documented['headers'] as Json | undefined) ?? {}).filter(
    (name) => headers[name.toLowerCase()] === undefined && !mayBeLeftOut(name, path),
  );
  return missing.map((name) => `the header ${name} is missing`);
}

/** Totals of long lists, links that would repeat a very long query, and what pages without a number lack. */
const mayBeLeftOut = (header: string, path: string): boolean =>
  header.startsWith('X-Total') ||
  (header === 'Link' && path.length > LONG_PATH) ||
  (/^(?:X-|Link$)/.test(header) && /[?&]pagination=keyset\b/.test(path));

function patternOf(path: string): RegExp {
  const parts = path.split(/(\{[^}]+\})/).map((part, index, all) => {
    if (!part.startsWith('{')) return part.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
    // A value at the end of a path may contain literal slashes (branches, tags, commits).
    return index >= all.length - 2 ? '.+' : '[^/]+';
  });
  return new RegExp(`^${parts.join('')}(?:\\.json)?$`);
}

function byParameters(a: DocumentedOperation, b: DocumentedOperation): number {
  const weight = ({ path }: DocumentedOperation): number =>
    path.split('/').length * 100 - path.split('{').length;
  return weight(b) - weight(a);
}

function isErrorBody(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('error' in body || 'message' in body);
}

function readable({ instancePath, message, params }: ErrorObject): string {
  const more = 'additionalProperty' in params ? ` "${String(params['additionalProperty'])}"` : '';
  return `body${instancePath} ${message ?? 'is not as documented'}${more}`;
}

// Read at once: a failure inside an assertion of supertest would go unseen, being an error of
// another realm than the tests'.
const checkedIn = new Map(
  FACES.map((face) => {
    const document = JSON.parse(readFileSync(face.document, 'utf8')) as object;
    return [face, new OpenApiValidator(document, face)];
  }),
);

/** Holds an answer to a path, with or without the prefix of the face, against the checked-in document. */
export function violationsOf(
  face: ApiFace,
  method: string,
  path: string,
  answer: {
    readonly status: number;
    readonly headers: SeenResponse['headers'];
    readonly text?: string;
    readonly body: unknown;
  },
): string[] {
  const { status, headers, text, body } = answer;
  // supertest makes an empty object of an empty body.
  const seen = text === '' || text === undefined ? undefined : body;
  const validator = checkedIn.get(face);
  if (validator === undefined) throw new Error(`${face.name} has no interface document`);
  return validator.violations({ method, path, status, headers, body: seen });
}
