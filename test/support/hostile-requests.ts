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

/** Requests to one operation of a project, most of whose values mean harm. */
export function hostileRequests(
  operation: InterfaceOperation,
  projectId: number,
  canary: Canary,
): Arbitrary<RawRequest> {
  const { verb, path, segments, query, body, required } = operation;
  const inPath = segments.filter((name) => name !== 'id');
  const segment = (name: string) => oneof(sample(name).map(asText), hostileEscapes(canary));
  return record({
    path: record(Object.fromEntries(inPath.map((name) => [name, segment(name)]))),
    query: values(query, OBLIGATORY, (name) =>
      PAGING.includes(name)
        ? mixed(sample(name).map(asText), hostileEscapes(canary))
        : segment(name),
    ),
    body: values(body, required, (name) => bodyValue(name, canary)),
  }).map((given) => {
    const place = inPath.reduce(
      (all, name) => {
        return all.replace(`{${name}}`, () => given.path[name] ?? '');
      },
      path.replace('{id}', String(projectId)),
    );
    const text = Object.entries(given.query).map(([name, value]) => `${name}=${value}`);
    const whole = `/api/v3${place}${text.length > 0 ? `?${text.join('&')}` : ''}`;
    return {
      verb,
      path: whole,
      ...(body.length > 0 ? { body: JSON.stringify(given.body) } : {}),
    };
  });
}

function values<T>(
  names: readonly string[],
  required: readonly string[],
  of: (name: string) => Arbitrary<T>,
): Arbitrary<Record<string, T>> {
  const all = Object.fromEntries(names.map((name) => [name, of(name)]));
  return record(all, { requiredKeys: names.filter((name) => required.includes(name)) });
}

function bodyValue(name: string, canary: Canary): Arbitrary<unknown> {
  const hostile = hostileNames(canary);
  if (name !== 'actions') return mixed(sample(name), hostile);
  const names = ['action', 'file_path', 'previous_path', 'content', 'encoding'];
  const action = values(names, ['action', 'file_path', 'content'], (part) =>
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
