import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DocumentBuilder, OpenAPIObject } from '@nestjs/swagger';
import type { RequestHandler } from 'express';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sendJson } from '../answers/send-json.js';
import { endIfKnown, validatorOf } from '../answers/validators.js';
import { API_PREFIX } from '../api-paths.js';
import { applyDecorators } from './decorators.js';
import { ERROR_SCHEMAS, REFUSAL_HEADER_COMPONENTS, refusalComponents } from './errors.js';
import { finishOperation, type Operation, PAGE_HEADER_COMPONENTS } from './operation.js';

type PathItem = Record<string, Operation>;

const VERBS = ['get', 'post', 'put', 'delete', 'patch'];

/**
 * The interface as an OpenAPI 3.1 document, generated from the controllers of a running or merely
 * initialised application. The same code gives the same bytes, in whatever order modules were loaded.
 *
 * @param version the version of the program
 */
export async function buildOpenApiDocument(
  app: NestExpressApplication,
  version: string,
): Promise<OpenAPIObject> {
  // Not loaded by processes that serve.
  const swagger = await import('@nestjs/swagger');
  applyDecorators(swagger);
  const description = describeService(new swagger.DocumentBuilder(), version);
  const generated = swagger.SwaggerModule.createDocument(app, description, {
    operationIdFactory: (controller, method) => operationId(controller, method),
  });
  const paths = Object.entries(generated.paths)
    .filter(([path]) => path.startsWith(`${API_PREFIX}/`))
    .map(
      ([path, item]) =>
        [path.slice(API_PREFIX.length), finishPath(path, item as PathItem)] as const,
    );
  return sorted({
    ...generated,
    paths: Object.fromEntries(paths),
    components: {
      ...generated.components,
      headers: { ...PAGE_HEADER_COMPONENTS, ...REFUSAL_HEADER_COMPONENTS },
      responses: refusalComponents(refusalsOf(paths)),
      schemas: { ...ERROR_SCHEMAS, ...generated.components?.schemas },
    },
  }) as OpenAPIObject;
}

/** The statuses from 300 on that operations answer. */
function refusalsOf(paths: readonly (readonly [string, PathItem])[]): number[] {
  return paths
    .flatMap(([, item]) => Object.values(item))
    .flatMap(({ responses = {} }) => Object.keys(responses))
    .map(Number)
    .filter((status) => status >= 300);
}

function describeService(builder: DocumentBuilder, version: string): Omit<OpenAPIObject, 'paths'> {
  return builder
    .setOpenAPIVersion('3.1.0')
    .setTitle('Trellis')
    .setDescription('Self-hosted project hosting.')
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(API_PREFIX)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' }, 'privateTokenHeader')
    .addApiKey({ type: 'apiKey', in: 'query', name: 'private_token' }, 'privateTokenParameter')
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
    .addSecurityRequirements('privateTokenHeader')
    .addSecurityRequirements('privateTokenParameter')
    .addSecurityRequirements('bearer')
    .build();
}

// Nest marks the further paths of one handler with their number: show[1].
function operationId(controller: string, method: string): string {
  const room = controller.replace(/Controller$/, '');
  const [name = method, alias] = method.split(/[[\]]/);
  return `${room}.${name}${alias === undefined || alias === '0' ? '' : `.alias${alias}`}`;
}

function finishPath(path: string, item: PathItem): PathItem {
  return Object.fromEntries(
    Object.entries(item).map(([verb, operation]) => [
      verb,
      VERBS.includes(verb) ? finishOperation(path, verb, operation) : operation,
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
 * Serves the checked-in interface document, so that starting up does not pay for generating it. It is
 * read on the first request and kept.
 */
export function serveOpenApi(packageRoot: string): RequestHandler {
  const file = path.join(packageRoot, 'openapi.json');
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
