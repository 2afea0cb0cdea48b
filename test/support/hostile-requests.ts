import { type Arbitrary, array, constant, constantFrom, oneof, record } from 'fast-check';
import { type Canary, escaped, hostileEscapes, hostileNames } from './hostile-names.js';
import { type InterfaceOperation, interfaceOperations } from './interface-operations.js';
import type { RawRequest } from './raw-requests.js';

/** All operations on what a repository has in it. */
export function repositoryOperations(): InterfaceOperation[] {
  return interfaceOperations().filter(({ path }) => /\/(?:repository|statuses)\//.test(path));
}

/** Values that are in order, by the names of parameters. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  sha: ['master', 'v1', 'topic/a'],
  ref: ['master', 'v1'],
  ref_name: ['master', 'topic/a'],
  from: ['master'],
  to: ['topic/a'],
  branch: ['master', 'topic/a', 'fresh'],
  branch_name: ['master', 'topic/a', 'fresh'],
  tag_name: ['v1', 'v2'],
  format: ['zip', 'tar', 'tar.gz'],
  path: ['dir', 'dir/a.txt'],
  filepath: ['dir/a.txt'],
  file_path: ['dir/a.txt', 'dir/new.txt', 'ünï/日本 x.txt', '@at/-_.x', 'b.txt/below'],
  previous_path: ['dir/a.txt'],
  action: ['create', 'create', 'update', 'move', 'delete'],
  encoding: ['text', 'base64'],
  content: ['AAAA', 'text', ''],
  state: ['success', 'pending'],
  line: [1],
  line_type: ['new'],
  recursive: [true],
  page: [1],
  per_page: [5],
};

/** Parameters of query strings without which nothing is looked for. */
const OBLIGATORY = ['from', 'to', 'filepath', 'file_path', 'ref'];
const PAGING = ['page', 'per_page'];

/** Requests to one operation of a project, many of whose values mean harm. */
export function hostileRequests(
  operation: InterfaceOperation,
  projectId: number,
  canary: Canary,
): Arbitrary<RawRequest> {
  const { verb, segments, query, body } = operation;
  const inPath = segments.filter((name) => name !== 'id');
  const parts = record({
    path: record(Object.fromEntries(inPath.map((name) => [name, inAddress(name, canary)]))),
    query: values(query, OBLIGATORY, (name) => inAddress(name, canary)).map(joined),
  }).map(({ path, query: text }) => {
    const place = inPath.reduce(
      (all, name) => all.replace(`{${name}}`, () => path[name] ?? ''),
      operation.path.replace('{id}', String(projectId)),
    );
    return { verb, path: `${operation.face.prefix}${place}${text === '' ? '' : `?${text}`}` };
  });
  if (body.length === 0) return parts;
  return record({ parts, payload: payloads(operation, canary) }).map((given) => ({
    ...given.parts,
    ...given.payload,
  }));
}

/** A part of a path, or a value of a query string. */
function inAddress(name: string, canary: Canary): Arbitrary<string> {
  const usual = sample(name).map(asText);
  const hostile = hostileEscapes(canary);
  return PAGING.includes(name) ? mixed(usual, hostile) : oneof(usual, hostile);
}

/** Mostly JSON; forms too, in which bytes can be sent that are no text. */
function payloads(
  { body, required }: InterfaceOperation,
  canary: Canary,
): Arbitrary<{ type: string; body: string }> {
  const isList = (name: string): boolean => name === 'actions';
  const fields = (names: readonly string[]): string[] =>
    names.flatMap((name) => (isList(name) ? OF_ACTIONS.map((of) => `actions[][${of}]`) : [name]));
  const form = values(fields(body), fields(required), (name) =>
    mixed(sample(name.replace(/^.*\[(\w+)\]$/, '$1')).map(asText), hostileEscapes(canary)),
  );
  const json = values(body, required, (name) =>
    isList(name) ? actions(canary) : mixed(sample(name), hostileNames(canary)),
  );
  return oneof(
    {
      weight: 3,
      arbitrary: json.map((all) => ({ type: 'application/json', body: JSON.stringify(all) })),
    },
    {
      weight: 1,
      arbitrary: form.map((all) => ({ type: FORM, body: joined(all) })),
    },
  );
}

const FORM = 'application/x-www-form-urlencoded';

const joined = (pairs: Record<string, string>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

function values<T>(
  names: readonly string[],
  required: readonly string[],
  of: (name: string) => Arbitrary<T>,
): Arbitrary<Record<string, T>> {
  const all = Object.fromEntries(names.map((name) => [name, of(name)]));
  return record(all, { requiredKeys: names.filter((name) => required.includes(name)) });
}

const OF_ACTIONS = ['action', 'file_path', 'previous_path', 'content', 'encoding'];

function actions(canary: Canary): Arbitrary<unknown> {
  const hostile = hostileNames(canary);
  const action = values(OF_ACTIONS, ['action', 'file_path', 'content'], (part) =>
    part === 'file_path' || part === 'previous_path'
      ? oneof(sample(part), hostile)
      : mixed(sample(part), hostile),
  );
  return array(action, { minLength: 1, maxLength: 3 });
}

/** Mostly in order, so that what is beside it is reached. */
function mixed<T>(usual: Arbitrary<T>, hostile: Arbitrary<T>): Arbitrary<T> {
  return oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: hostile });
}

function sample(name: string): Arbitrary<unknown> {
  const known = SAMPLES[name];
  return known === undefined ? constant('A text') : constantFrom(...known);
}

const asText = (value: unknown): string => escaped(String(value));
