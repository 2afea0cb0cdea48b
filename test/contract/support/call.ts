import { violationsOf } from '../../support/openapi-validator.js';
import { type Person, unique } from '../../support/factories.js';
import type { Operation, Schema } from './operations.js';

/** The ID or number of nothing that is there. */
const ABSENT_ID = 2_000_000_000;

export type Values = Readonly<Record<string, string | number | boolean | readonly object[]>>;

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
  /** Where it is not as documented. */
  readonly violations: readonly string[];
}

/**
 * Calls an operation with its required parameters, made from the document by their types, so that
 * nothing but the caller's rights is left to refuse it for.
 * @param given values by name, of parameters in the path too; they win
 */
export async function call(
  url: string,
  operation: Operation,
  person: Person | null,
  given: Values,
): Promise<Answer> {
  const { verb, query, body } = operation;
  const path = pathOf(operation, given) + searchOf(query, given);
  const headers: Record<string, string> = person === null ? {} : { 'PRIVATE-TOKEN': person.token };
  const sent = verb === 'get' ? {} : bodyOf(body, given);
  const response = await fetch(`${url}${operation.face.prefix}${path}`, {
    method: verb.toUpperCase(),
    headers: { ...headers, ...sent.headers },
    ...(sent.body === undefined ? {} : { body: sent.body }),
  });
  const text = await response.text();
  const answer = { status: response.status, text, body: parsed(text) };
  const seen = { ...answer, headers: Object.fromEntries(response.headers) };
  return { ...answer, violations: violationsOf(operation.face, verb, path, seen) };
}

function pathOf({ path }: Operation, given: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value: unknown = given[name] ?? (isId(name) ? ABSENT_ID : 'absent');
    return encodeURIComponent(String(value));
  });
}

function searchOf(query: Operation['query'], given: Values): string {
  const values = Object.entries(query).map(
    ([name, schema]) => [name, String(given[name] ?? valueOf(name, schema))] as const,
  );
  return values.length === 0
    ? ''
    : `?${new URLSearchParams(Object.fromEntries(values)).toString()}`;
}

function bodyOf(
  { required = [], properties = {} }: Schema,
  given: Values,
): { headers?: Record<string, string>; body?: FormData | string } {
  const made = required.map((name) => [name, valueOf(name, properties[name] ?? {})] as const);
  const values = { ...Object.fromEntries(made), ...given };
  const files = Object.entries(properties).filter(([, { format }]) => format === 'binary');
  if (files.length === 0) {
    return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) };
  }
  const form = new FormData();
  for (const [name] of files) form.append(name, new Blob(['text']), 'file.txt');
  return { body: form };
}

/** A value that a parameter takes. */
export function valueOf(name: string, schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return isId(name) ? ABSENT_ID : (schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return [valueOf(name, schema.items ?? {})];
    case 'object':
      return {};
    default:
      return schema.format === 'date-time' ? '2031-01-01T00:00:00Z' : `value-${unique()}`;
  }
}

function isId(name: string): boolean {
  return name === 'id' || name.endsWith('_id') || name.endsWith('_iid');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
