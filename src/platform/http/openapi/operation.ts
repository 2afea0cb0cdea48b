import { FIXED_STATUS_EXTENSION } from '../answers/status.js';
import { MAY_ANSWER_EXTENSION, PAGED_EXTENSION } from './answers.js';
import { refusalResponse, refusalStatuses } from './errors.js';

interface Content {
  readonly schema?: object;
}

interface DocumentedResponse {
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Content>>;
}

interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: object;
}

/** The parts of a generated operation that are completed here. */
export interface Operation {
  readonly responses?: Readonly<Record<string, DocumentedResponse>>;
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Content>> };
  readonly [extension: string]: unknown;
}

const BODY_TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const;

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'X-Total': 'Number of items; left out beyond 10,000.',
  'X-Total-Pages': 'Number of pages; left out beyond 10,000 items.',
  'X-Per-Page': 'Items per page.',
  'X-Page': 'Number of this page.',
  'X-Next-Page': 'Number of the next page, empty on the last.',
  'X-Prev-Page': 'Number of the previous page, empty on the first.',
  Link: 'URLs of the previous, next, first and last page.',
};

/** Completes one generated operation: statuses of success, refusals, page headers, body types. */
export function finishOperation(verb: string, operation: Operation): Operation {
  const {
    [FIXED_STATUS_EXTENSION]: fixed,
    [MAY_ANSWER_EXTENSION]: declared,
    [PAGED_EXTENSION]: paged,
    ...rest
  } = operation;
  const success = successOf(rest.responses ?? {}, paged === true);
  const refusals = refusalStatuses(verb, (declared ?? []) as number[]);
  return {
    ...rest,
    ...(rest.parameters === undefined ? {} : { parameters: rest.parameters.map(pathParameter) }),
    ...(rest.requestBody === undefined ? {} : { requestBody: everyType(rest.requestBody) }),
    responses: Object.fromEntries([
      ...statusesOfSuccess(verb, fixed).map((status) => [status, success]),
      ...refusals.map((status) => [status, refusalResponse(status)]),
    ]) as Record<string, DocumentedResponse>,
  };
}

// The document serves both profiles: a POST may succeed with 200 or 201.
function statusesOfSuccess(verb: string, fixed: unknown): number[] {
  if (typeof fixed === 'number') return [fixed];
  return verb === 'post' ? [200, 201] : [200];
}

function successOf(
  responses: Readonly<Record<string, DocumentedResponse>>,
  paged: boolean,
): DocumentedResponse {
  const documented = responses['200'] ?? { description: 'Done.' };
  if (!paged) return documented;
  const headers = Object.entries(PAGE_HEADERS).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return { ...documented, headers: Object.fromEntries(headers) as object };
}

// Path values reach handlers as numbers where they are ids and as text, or its segments, elsewhere.
function pathParameter(parameter: DocumentedParameter): DocumentedParameter {
  if (parameter.in !== 'path') return parameter;
  const numeric = (parameter.schema as { type?: unknown } | undefined)?.type === 'number';
  return { ...parameter, schema: { type: numeric ? 'integer' : 'string' } };
}

function everyType(body: NonNullable<Operation['requestBody']>): Operation['requestBody'] & object {
  const documented = Object.values(body.content ?? {})[0] ?? {};
  return {
    ...body,
    content: Object.fromEntries(BODY_TYPES.map((type) => [type, documented])),
  };
}
