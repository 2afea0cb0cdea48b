import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';
import type { RequestHandler } from 'express';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sendJson } from '../answers/send-json.js';
import { endIfKnown, validatorOf } from '../answers/validators.js';
import { type ApiFace, isBelow, type OldPath } from '../face/api-face.js';
import { applyDecorators } from './decorators.js';
import { errorSchemasOf, REFUSAL_HEADER_COMPONENTS, refusalComponents } from './errors.js';
import { aliasOf, finishOperation, type Operation, PAGE_HEADER_COMPONENTS } from './operation.js';

type PathItem = Record<string, Operation>;

const VERBS = ['get', 'post', 'put', 'delete', 'patch'];

/**
 * A face as an OpenAPI 3.1 document, generated from its controllers in a running or merely
 * initialised application. The same code gives the same bytes, in whatever order modules were loaded.
 *
 * @param version the version of the program
 */
export async function buildOpenApiDocument(
  app: NestExpressApplication,
  face: ApiFace,
  version: string,
): Promise<OpenAPIObject> {
  // Not loaded by processes that serve.
  const swagger = await import('@nestjs/swagger');
  applyDecorators(swagger);
  const description = describeService(new swagger.DocumentBuilder(), face, version);
  const generated = swagger.SwaggerModule.createDocument(app, description, {
    operationIdFactory: (_controller, method) => method,
  });
  const routed = Object.entries(generated.paths)
    .filter(([path]) => face.has(path))
    .map(
      ([path, item]) =>
        [`/${face.relative(path)}`, finishPath(face, path, item as PathItem)] as const,
    );
  const paths = withOldPaths(routed, face.oldPaths);
  return sorted({
    ...generated,
    paths: Object.fromEntries(paths),
    components: {
      ...generated.components,
      headers: { ...PAGE_HEADER_COMPONENTS, ...REFUSAL_HEADER_COMPONENTS },
      responses: refusalComponents(refusalsOf(paths)),
      schemas: {
        ...errorSchemasOf(face),
        ...usedSchemas(paths, generated.components?.schemas ?? {}),
      },
    },
  }) as OpenAPIObject;
}

type Paths = readonly (readonly [path: string, item: PathItem])[];

/** Adds the paths that are also listed under an old spelling, as aliases of their operations. */
function withOldPaths(paths: Paths, oldPaths: readonly OldPath[]): Paths {
  const inBraces = (path: string): string => `/${path.replace(/:(\w+)/g, '{$1}')}`;
  const all = [...paths];
  for (const { old, now, listed } of oldPaths) {
    const root = inBraces(now);
    const renamed = paths
      .filter(([path]) => isBelow(root, path))
      .filter(([path]) => listed?.includes(path.split('/').at(-1) ?? '') ?? true)
      .map(
        ([path, item]) => [inBraces(old) + path.slice(root.length), aliased(all, item)] as const,
      );
    all.push(...renamed);
  }
  return all;
}

/** The operations with the ids of further aliases. */
function aliased(paths: Paths, item: PathItem): PathItem {
  const ids = paths.flatMap(([, operations]) => Object.values(operations).map(idOf));
  return Object.fromEntries(
    Object.entries(item).map(([verb, operation]) => {
      const [handler = '', alias = '0'] = idOf(operation).split('.alias');
      const known = ids.filter((id) => id.split('.alias')[0] === handler).length;
      return [verb, { ...operation, operationId: aliasOf(handler, Number(alias) + known) }];
    }),
  );
}

const idOf = ({ operationId }: Operation): string => String(operationId);

/** The schemas that paths refer to, and those that these refer to. */
function usedSchemas<Schema>(
  paths: Paths,
  all: Readonly<Record<string, Schema>>,
): Record<string, Schema> {
  const used = new Map<string, Schema>();
  const add = (user: unknown): void => {
    for (const [, name = ''] of JSON.stringify(user).matchAll(REFERENCE)) {
      const schema = all[name];
      if (schema === undefined || used.has(name)) continue;
      used.set(name, schema);
      add(schema);
    }
  };
  add(paths);
  return Object.fromEntries(used);
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** The statuses from 300 on that operations answer. */
function refusalsOf(paths: Paths): number[] {
  return paths
    .flatMap(([, item]) => Object.values(item))
    .flatMap(({ responses = {} }) => Object.keys(responses))
    .map(Number)
    .filter((status) => status >= 300);
}

function describeService(
  builder: DocumentBuilder,
  face: ApiFace,
  version: string,
): Omit<OpenAPIObject, 'paths'> {
  return builder
    .setOpenAPIVersion('3.1.0')
    .setTitle('Trellis')
    .setDescription('Self-hosted project hosting.')
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(face.prefix)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' }, 'privateTokenHeader')
    .addApiKey({ type: 'apiKey', in: 'query', name: 'private_token' }, 'privateTokenParameter')
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
    .addSecurityRequirements('privateTokenHeader')
    .addSecurityRequirements('privateTokenParameter')
    .addSecurityRequirements('bearer')
    .build();
}

function finishPath(face: ApiFace, path: string, item: PathItem): PathItem {
  return Object.fromEntries(
    Object.entries(item).map(([verb, operation]) => [
      verb,
      VERBS.includes(verb) ? finishOperation(face, path, verb, operation) : operation,
    ]),
  );
}

// Their order is the reader's: parameters in declaration order, texts as written.
const KEPT = new Set(['properties', 'required', 'enum', 'parameters', 'security', 'tags']);

/** A copy with the names of every object in order, so that equal documents are equal files. */
function sorted(value: unknown, key?: string): unknown {
  if (Array.isArray(value)) return value.map((element) => sorted(element));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (key === undefined || !KEPT.has(key)) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, child]) => [name, sorted(child, name)]));
}

/**
 * Serves the checked-in interface document of a face, so that starting up does not pay for generating it. It is
 * read on the first request and kept.
 */
export function serveOpenApi(packageRoot: string, face: ApiFace): RequestHandler {
  const file = path.join(packageRoot, face.document);
  let document: Promise<string> | undefined;
  return async (_request, response) => {
    document ??= readFile(file, 'utf8');
    const json = await document.catch((failure: unknown) => {
      document = undefined;
      throw failure;
    });
    if (!endIfKnown(response, validatorOf(json))) sendJson(response, json);
  };
}
