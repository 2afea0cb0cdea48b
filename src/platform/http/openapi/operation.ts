import type { OpenAPIObject } from '@nestjs/swagger';
import { FIXED_STATUS_EXTENSION } from '../answers/answer.guard.js';
import { JSON_TYPE } from '../answers/send-json.js';
import { type ApiFace, OPERATIONS_EXTENSION } from '../face/api-face.js';
import { FORM, MULTIPART } from '../request/body/body.js';
import { ALSO_ANSWERS_EXTENSION, MAY_ANSWER_EXTENSION, PAGED_EXTENSION } from './answers.js';
import { refusalResponse, refusalStatuses } from './errors.js';

interface Content {
  readonly schema?: object;
}

interface DocumentedResponse {
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Content>>;
}

interface OtherSuccess {
  readonly status: number;
  readonly response: DocumentedResponse;
}

interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: object;
}

/** The parts of a generated operation that are completed here. */
export interface Operation {
  readonly operationId?: string;
  readonly responses?: Readonly<Record<string, DocumentedResponse>>;
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Content>> };
  readonly [extension: string]: unknown;
}

const BODY_TYPES = [JSON_TYPE, FORM, MULTIPART] as const;

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'X-Total': 'Number of items; left out beyond 10,000.',
  'X-Total-Pages': 'Number of pages; left out beyond 10,000 items.',
  'X-Per-Page': 'Items per page.',
  'X-Page': 'Number of this page.',
  'X-Next-Page': 'Number of the next page, empty on the last.',
  'X-Prev-Page': 'Number of the previous page, empty on the first.',
  Link: 'URLs of the previous, next, first and last page; left out where they would be too long.',
};

/** The headers of pages, among the document's components. */
export const PAGE_HEADER_COMPONENTS = Object.fromEntries(
  Object.entries(PAGE_HEADERS).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]),
) as NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

/**
 * Completes one generated operation: its id, path parameters, statuses of success, refusals, page headers,
 * body types.
 */
export function finishOperation(
  face: ApiFace,
  path: string,
  verb: string,
  operation: Operation,
): Operation {
  const {
    [OPERATIONS_EXTENSION]: operations,
    [FIXED_STATUS_EXTENSION]: fixed,
    [MAY_ANSWER_EXTENSION]: declared,
    [PAGED_EXTENSION]: paged,
    [ALSO_ANSWERS_EXTENSION]: other,
    ...rest
  } = operation;
  const success = successOf(rest.responses ?? {}, paged === true);
  const refusals = refusalStatuses(verb, (declared ?? []) as number[]);
  return {
    ...rest,
    operationId: `${String(operations)}.${methodOf(rest.operationId ?? '')}`,
    parameters: [...guarded(path, rest.parameters ?? []), ...(rest.parameters ?? []).map(typed)],
    ...(rest.requestBody === undefined ? {} : { requestBody: everyType(rest.requestBody) }),
    responses: Object.fromEntries([
      ...statusesOfSuccess(face, verb, fixed).map((status) => [status, success]),
      ...otherSuccess(other as OtherSuccess | undefined),
      ...refusals.map((status) => [status, refusalResponse(status)]),
    ]) as Record<string, DocumentedResponse>,
  };
}

const otherSuccess = (
  other: OtherSuccess | undefined,
): (readonly [number, DocumentedResponse])[] =>
  other === undefined ? [] : [[other.status, other.response]];

// The document serves both profiles: in version 3, a POST may succeed with 200 or 201.
function statusesOfSuccess(face: ApiFace, verb: string, fixed: unknown): number[] {
  return typeof fixed === 'number' ? [fixed] : face.statusesOf(verb.toUpperCase());
}

// Nest marks the further paths of one handler with their number: `show[1]`.
function methodOf(generated: string): string {
  const [method = generated, alias = '0'] = generated.split(/[[\]]/);
  return aliasOf(method, Number(alias));
}

/** The id of an operation, or the end of it, with the number of another path of it; 0 is its own. */
export const aliasOf = (id: string, alias: number): string =>
  alias === 0 ? id : `${id}.alias${String(alias)}`;

function successOf(
  responses: Readonly<Record<string, DocumentedResponse>>,
  paged: boolean,
): DocumentedResponse {
  const documented = responses['200'] ?? { description: 'Done.' };
  if (!paged) return documented;
  const headers = Object.keys(PAGE_HEADERS).map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return { ...documented, headers: Object.fromEntries(headers) as object };
}

/** The path values that a guard reads, and no handler: what names the project or group. */
function guarded(
  path: string,
  known: readonly DocumentedParameter[],
): readonly DocumentedParameter[] {
  const named = new Set(known.filter((each) => each.in === 'path').map(({ name }) => name));
  return [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !named.has(name))
    .map((name) => ({
      name,
      in: 'path',
      required: true,
      description: 'Number, or path with `/` written as `%2F`.',
      schema: { type: 'string' },
    }));
}

// Path values reach handlers as numbers where they are ids and as text, or its segments, elsewhere.
function typed(parameter: DocumentedParameter): DocumentedParameter {
  if (parameter.in !== 'path') return parameter;
  const numeric = (parameter.schema as { type?: unknown } | undefined)?.type === 'number';
  return { ...parameter, schema: { type: numeric ? 'integer' : 'string' } };
}

function everyType(body: NonNullable<Operation['requestBody']>): Operation['requestBody'] & object {
  // Files come in parts alone, which such a route says by `@ApiConsumes`.
  if (Object.hasOwn(body.content ?? {}, MULTIPART)) return body;
  const documented = Object.values(body.content ?? {})[0] ?? {};
  return {
    ...body,
    content: Object.fromEntries(BODY_TYPES.map((type) => [type, documented])),
  };
}
