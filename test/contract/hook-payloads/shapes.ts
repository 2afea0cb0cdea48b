/**
 * The JSON of an object, by key: the name of a type, an object within, or an array of either. A key with
 * `?` may be missing; `[null]` beside an object allows null in its place.
 */
export interface Shape {
  readonly [key: string]: Field;
}

export type Field = string | Shape | readonly [string | Shape] | { readonly nullOr: Shape };

/** What JSON values a type of a receiver takes. */
export interface Acceptance {
  readonly types: readonly JsonType[];
  /** For strings. */
  readonly pattern?: RegExp;
  /** Whether the field may be missing. */
  readonly optional?: boolean;
}

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export type Types = Readonly<Record<string, Acceptance>>;

/** What payloads are made into by one receiver. */
export interface Receiver {
  readonly name: string;
  readonly types: Types;
  /** Whether it accepts an object or an array that is null or missing. */
  readonly acceptsNullOrMissing: boolean;
  readonly kinds: Readonly<Record<string, Shape>>;
}

/** Everything in which a value is not of a shape; keys that the shape does not name are passed over. */
export function deviations(
  value: unknown,
  shape: Shape,
  receiver: Pick<Receiver, 'types' | 'acceptsNullOrMissing'>,
  at = '',
): string[] {
  if (jsonTypeOf(value) !== 'object') return [`${at || 'payload'} is ${show(value)}`];
  return Object.entries(shape).flatMap(([name, field]) => {
    const key = name.replace(/\?$/, '');
    const path = at === '' ? key : `${at}.${key}`;
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined && (name.endsWith('?') || receiver.acceptsNullOrMissing)) return [];
    return fieldDeviations(inner, field, receiver, path);
  });
}

function fieldDeviations(
  value: unknown,
  field: Field,
  receiver: Pick<Receiver, 'types' | 'acceptsNullOrMissing'>,
  path: string,
): string[] {
  if (typeof field === 'string') return scalarDeviations(value, field, receiver.types, path);
  if (value === null && receiver.acceptsNullOrMissing) return [];
  if (isNullable(field))
    return value === null ? [] : fieldDeviations(value, field.nullOr, receiver, path);
  if (!isList(field)) return deviations(value, field, receiver, path);
  if (!Array.isArray(value)) return [`${path} is ${show(value)}`];
  return value.flatMap((item: unknown, index) =>
    fieldDeviations(item, field[0], receiver, `${path}[${String(index)}]`),
  );
}

function scalarDeviations(value: unknown, name: string, types: Types, path: string): string[] {
  const accepted = types[name];
  if (accepted === undefined) throw new Error(`There is no type ${name} (${path})`);
  if (value === undefined) return accepted.optional === true ? [] : [`${path} is missing`];
  const type = jsonTypeOf(value);
  const isTaken =
    accepted.types.includes(type) || (type === 'integer' && accepted.types.includes('number'));
  const fits = typeof value !== 'string' || (accepted.pattern?.test(value) ?? true);
  return isTaken && fits ? [] : [`${path} is ${show(value)}, not ${name}`];
}

/**
 * Names the keys of a payload that are not in its shape, which is an entry of `fields.ts`, that are missing, or that
 * stand at another position.
 */
export function keyDifferences(value: unknown, shape: Shape, at = ''): string[] {
  const object = value as Record<string, unknown>;
  const present = Object.keys(object);
  const wanted = Object.keys(shape)
    .filter((name) => !name.endsWith('?') || present.includes(name.slice(0, -1)))
    .map((name) => name.replace(/\?$/, ''));
  const own = differencesOfLists(present, wanted).map((text) => `${at || 'payload'}: ${text}`);
  const within = Object.entries(shape).flatMap(([name, field]) => {
    const key = name.replace(/\?$/, '');
    return innerShapes(object[key], field).flatMap(([inner, innerShape]) =>
      keyDifferences(inner, innerShape, at === '' ? key : `${at}.${key}`),
    );
  });
  return [...own, ...within];
}

function differencesOfLists(present: readonly string[], wanted: readonly string[]): string[] {
  const unknown = present.filter((key) => !wanted.includes(key));
  const missing = wanted.filter((key) => !present.includes(key));
  return [
    ...unknown.map((key) => {
      const before = present[present.indexOf(key) - 1];
      const position = before === undefined ? 'at the beginning' : `after ${before}`;
      return `${key} is not in fields.ts (${position})`;
    }),
    ...missing.map((key) => `${key} is missing from the payload`),
    ...differenceOfOrders(
      present.filter((key) => wanted.includes(key)),
      wanted.filter((key) => present.includes(key)),
    ),
  ];
}

/** Names the one key without which both orders are the same; all keys when several are displaced. */
function differenceOfOrders(present: readonly string[], wanted: readonly string[]): string[] {
  if (present.join() === wanted.join()) return [];
  const without = (keys: readonly string[], one: string) => keys.filter((key) => key !== one);
  const displaced = wanted.find(
    (key) => without(present, key).join() === without(wanted, key).join(),
  );
  return [
    displaced === undefined
      ? `the keys stand in another order: ${present.join(', ')}`
      : `${displaced} stands at another position`,
  ];
}

function innerShapes(value: unknown, field: Field): [unknown, Shape][] {
  if (typeof field === 'string' || value === null || value === undefined) return [];
  if (isNullable(field)) return [[value, field.nullOr]];
  if (!isList(field)) return [[value, field]];
  const [item] = field;
  return typeof item === 'string' ? [] : (value as unknown[]).map((one) => [one, item]);
}

const isList = (field: Field): field is readonly [string | Shape] => Array.isArray(field);

const isNullable = (field: Field): field is { readonly nullOr: Shape } =>
  typeof field === 'object' && 'nullOr' in field && typeof field['nullOr'] === 'object';

function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

const show = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value));
