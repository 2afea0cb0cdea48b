import { type DomainError, invalidParameter } from '../../errors/index.js';
import { ORDINARY_BODY } from '../../limits/index.js';
import { isRecord } from '../parameters/conversions.js';
import type { Parsed, RawParameters } from './request-parameters.js';
import { MAX_DEPTH } from './sanitize.js';

const SEGMENT = /\[([^[\]]*)\]/y;

/**
 * Puts form fields together to nested parameters: `a[]=1&a[]=2` is a list, `a[b]=1` an object and
 * `a[][b]=1&a[][c]=2&a[][b]=3` a list of objects, where a name that repeats begins the next object.
 * A scalar given again replaces the earlier one, and so does a value of another form.
 *
 * Neither `__proto__` nor any other name reaches a prototype: the objects have none.
 */
export class FormFields {
  readonly parameters: RawParameters = bare();
  private count = 0;

  constructor(private readonly maxFields: number) {}

  /** Whether the limit of fields is reached. */
  get full(): boolean {
    return this.count > this.maxFields;
  }

  /**
   * @param value undefined for a key without `=`, which counts as not given
   * @returns why the field was not taken: there are too many, or it is nested too deep
   */
  add(key: string, value: string | undefined): DomainError | undefined {
    this.count += 1;
    if (this.full) return invalidParameter('too many parameters');
    if (value === undefined) return undefined;
    const [name, ...segments] = segmentsOf(key);
    if (name === undefined || name === '' || [name, ...segments].includes('__proto__'))
      return undefined;
    if (segments.length > MAX_DEPTH) return invalidParameter(`${name} is invalid`);
    assign(this.parameters, name, segments, value);
    return undefined;
  }
}

/** An object without a prototype. */
export function bare(): RawParameters {
  return Object.create(null) as RawParameters;
}

// A key whose brackets do not pair is a plain name. More segments than may be nested are not taken apart.
function segmentsOf(key: string): string[] {
  const open = key.indexOf('[');
  if (open <= 0) return [key];
  const segments = [key.slice(0, open)];
  SEGMENT.lastIndex = open;
  while (SEGMENT.lastIndex < key.length && segments.length <= MAX_DEPTH + 1) {
    const match = SEGMENT.exec(key);
    if (match === null) return [key];
    segments.push(match[1] ?? '');
  }
  return segments;
}

function assign(
  target: RawParameters,
  name: string,
  rest: readonly string[],
  value: unknown,
): void {
  const [next, ...deeper] = rest;
  if (next === undefined) {
    target[name] = value;
  } else if (next === '') {
    push(listAt(target, name), deeper, value);
  } else {
    assign(recordAt(target, name), next, deeper, value);
  }
}

function push(list: unknown[], rest: readonly string[], value: unknown): void {
  const [name, ...deeper] = rest;
  if (name === undefined || name === '') {
    list.push(value);
    return;
  }
  const last = list.at(-1);
  const open = isRecord(last) && !(Object.hasOwn(last, name) && deeper.length === 0);
  const record = open ? last : bare();
  if (!open) list.push(record);
  assign(record, name, deeper, value);
}

function listAt(target: RawParameters, name: string): unknown[] {
  const present = Object.hasOwn(target, name) ? target[name] : undefined;
  if (Array.isArray(present)) return present;
  const list: unknown[] = [];
  target[name] = list;
  return list;
}

function recordAt(target: RawParameters, name: string): RawParameters {
  const present = Object.hasOwn(target, name) ? target[name] : undefined;
  if (isRecord(present)) return present;
  const record = bare();
  target[name] = record;
  return record;
}

/** Reads the parameters in a URL. */
export function parseQueryString(url: string): Parsed {
  const start = url.indexOf('?');
  return parseUrlencoded(start < 0 ? '' : url.slice(start + 1));
}

/**
 * Reads a query string or an urlencoded body. An escape that is none, or is no UTF-8, makes its
 * parameter invalid.
 */
export function parseUrlencoded(text: string, maxFields = ORDINARY_BODY.values): Parsed {
  const fields = new FormFields(maxFields);
  let problem: DomainError | undefined;
  let start = 0;
  while (start < text.length && !fields.full) {
    const found = text.indexOf('&', start);
    const end = found < 0 ? text.length : found;
    if (end > start) problem ??= addPair(fields, text.slice(start, end));
    start = end + 1;
  }
  return { parameters: fields.parameters, problem };
}

function addPair(fields: FormFields, pair: string): DomainError | undefined {
  const cut = pair.indexOf('=');
  if (cut < 0) return fields.add(pair, undefined);
  const escaped = pair.slice(0, cut);
  const name = decoded(escaped);
  const value = decoded(pair.slice(cut + 1));
  if (name === undefined || value === undefined) {
    return invalidParameter(`${name ?? escaped} is invalid`);
  }
  return fields.add(name, value);
}

function decoded(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
