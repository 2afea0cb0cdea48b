import { MAX_ID, UNKNOWN_ID } from '../../database/index.js';
import { DomainError } from '../../errors/index.js';
import { ORDINARY_BODY, PARAMETER_CHARACTERS } from '../../limits/index.js';

/** The most elements of a list in one text: as many as a body may have values. */
const MAX_ELEMENTS = ORDINARY_BODY.values;

/**
 * What a converter makes of a raw value: the value, null ("clear it"), undefined ("not given") or a
 * `Refusal`.
 */
export type Converted<T> = T | null | undefined | Refusal;

/** Reads one raw value; `name` is the parameter's, as a client spells it. */
export type Converter<T> = (raw: unknown, name: string) => Converted<T>;

/** Why a value is refused; the text follows the parameter's name. */
export class Refusal {
  constructor(readonly text: string) {}
}

export const INVALID = new Refusal('is invalid');
export const NOT_A_VALUE = new Refusal('does not have a valid value');
export const EMPTY = new Refusal('is empty');
export const TOO_LONG = new Refusal(`is too long (maximum is ${PARAMETER_CHARACTERS} characters)`);

/** Whether the value is an object with names, as JSON or nested form fields make them. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const INDEX = /^\d{1,6}$/;

/**
 * The elements of a list parameter: a JSON array, or form fields numbered by the client
 * (`name[0]=…&name[1]=…`); undefined when it is neither.
 */
export function elementsOf(raw: unknown): readonly unknown[] | undefined {
  if (Array.isArray(raw)) return raw as unknown[];
  if (!isRecord(raw)) return undefined;
  const entries = Object.entries(raw);
  if (entries.length === 0 || !entries.every(([key]) => INDEX.test(key))) return undefined;
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

const INTEGER = /^-?\d+$/;
const TRUE = new Set(['true', '1', 't', 'y', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'f', 'n', 'no', 'off']);

/** Any integer, however large; `""` is "not given". */
function toInteger(raw: unknown): Converted<number> {
  if (raw === '') return undefined;
  if (typeof raw === 'number') return Number.isInteger(raw) ? raw : INVALID;
  return typeof raw === 'string' && INTEGER.test(raw) ? Number(raw) : INVALID;
}

const NUMBER = /^-?\d{1,300}(?:\.\d{1,300})?$/;

/** Any finite number, in digits; `""` is "not given". */
export function toNumber(raw: unknown): Converted<number> {
  if (raw === '') return undefined;
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : INVALID;
  return typeof raw === 'string' && NUMBER.test(raw) ? Number(raw) : INVALID;
}

/** An integer that fits a column of the database. */
export function toStoredInteger(raw: unknown): Converted<number> {
  const value = toInteger(raw);
  return typeof value === 'number' && !fits(value) ? INVALID : value;
}

/** An id: one that no row can have becomes `UNKNOWN_ID`. */
export function toId(raw: unknown): Converted<number> {
  const value = toInteger(raw);
  return typeof value === 'number' && (value < 0 || value > MAX_ID) ? UNKNOWN_ID : value;
}

/** An integer brought into the range of a column instead of refused. */
export function toClampedInteger(raw: unknown): Converted<number> {
  const value = toInteger(raw);
  return typeof value === 'number' ? Math.min(Math.max(value, -MAX_ID), MAX_ID) : value;
}

export function toBoolean(raw: unknown): Converted<boolean> {
  if (raw === '') return undefined;
  if (typeof raw === 'boolean') return raw;
  if (typeof raw !== 'string' && typeof raw !== 'number') return INVALID;
  const spelling = String(raw).toLowerCase();
  if (TRUE.has(spelling)) return true;
  return FALSE.has(spelling) ? false : INVALID;
}

/** A string; JSON numbers and booleans are spelled out. */
export function toText(raw: unknown): string | Refusal {
  if (typeof raw === 'string') return raw;
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : INVALID;
}

/** The same, of at most `PARAMETER_CHARACTERS`. */
export function toBoundedText(raw: unknown): string | Refusal {
  const isLong = typeof raw === 'string' && raw.length > PARAMETER_CHARACTERS;
  return isLong ? TOO_LONG : toText(raw);
}

/** What a blank string (empty or white space only) means for a parameter. */
export type BlankMeaning = 'kept' | 'absent' | 'refused';

export function textWhereBlankIs(
  meaning: BlankMeaning,
  toString: (raw: unknown) => string | Refusal = toBoundedText,
): (raw: unknown) => Converted<string> {
  return (raw) => {
    const text = toString(raw);
    if (meaning === 'kept' || typeof text !== 'string' || text.trim() !== '') return text;
    return meaning === 'absent' ? undefined : EMPTY;
  };
}

/** One of the given values, spelled exactly; integers also as strings of digits. */
export function oneOf<V extends string | number>(
  values: readonly V[],
): (raw: unknown) => Converted<V> {
  const numeric = values.every((value) => typeof value === 'number');
  return (raw) => {
    const value = numeric ? toInteger(raw) : toText(raw);
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    return values.find((candidate) => candidate === value) ?? NOT_A_VALUE;
  };
}

function fits(value: number): boolean {
  return value >= -MAX_ID - 1 && value <= MAX_ID;
}

// The sign of an offset may have become a space: an unescaped "+" in a query string means one.
const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+\- ])(\d{2}):?(\d{2})?)?)?$/;
const MINUTE_MS = 60_000;
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** A moment in ISO 8601; without an offset it is UTC, a bare date is its midnight. */
export function toTimestamp(raw: unknown): Converted<Date> {
  if (raw === '') return undefined;
  const match = typeof raw === 'string' ? ISO_8601.exec(raw) : null;
  if (!match) return INVALID;
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = ''] = match;
  const local = momentOf(day, `${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`);
  const moment = local - offsetOf(match[6], match[7], match[8]);
  return moment >= EARLIEST && moment <= LATEST ? new Date(moment) : INVALID;
}

/** A calendar day as `YYYY-MM-DD`; of a timestamp the date part is taken, `""` clears. */
export function toDate(raw: unknown): Converted<string> {
  if (raw === '') return null;
  const moment = toTimestamp(raw);
  return moment instanceof Date && typeof raw === 'string' ? raw.slice(0, 10) : INVALID;
}

// Date.parse takes 31 February for 3 March; a day that does not come back unchanged does not exist.
function momentOf(day: string, time: string): number {
  const moment = Date.parse(`${day}T${time}Z`);
  if (Number.isNaN(moment)) return NaN;
  return new Date(moment).toISOString().startsWith(`${day}T${time.slice(0, 2)}`) ? moment : NaN;
}

function offsetOf(sign: string | undefined, hours = '00', minutes = '00'): number {
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return NaN;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -offset : offset;
}

/** The refusal of a malformed `since` or `until`: `@TimestampParam({ refuse: timestampFormat })`. */
export const timestampFormat = (name: string): DomainError =>
  new DomainError({ code: 'malformed-timestamp', name });

/** A list of integers: an array, form fields `name[]`, or one string `4,7`. */
export function integerList(toElement: (raw: unknown) => Converted<number>): Converter<number[]> {
  return (raw) => {
    if (raw === '') return undefined;
    const elements = typeof raw === 'string' ? raw.split(',') : (elementsOf(raw) ?? [raw]);
    const spelled = elements.map((element) =>
      typeof element === 'string' ? element.trim() : element,
    );
    return collect(spelled, toElement);
  };
}

/**
 * A list of strings: an array or form fields, whose elements are taken whole, or one string cut at the
 * separator. White space around an element is dropped, and so are blank elements; `""` is the empty
 * list.
 */
export function stringList(separator: RegExp): Converter<string[]> {
  return (raw) => {
    const elements = elementsOf(raw) ?? separated(raw, separator);
    const texts = elements instanceof Refusal ? elements : collect(elements, toBoundedText);
    if (!Array.isArray(texts)) return texts;
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  };
}

/** The elements converted one by one; a null or blank one is passed over. */
function collect<T>(
  elements: readonly unknown[],
  toElement: (raw: unknown) => Converted<T>,
): Converted<T[]> {
  const values: T[] = [];
  for (const element of elements) {
    const value = element === null || element === undefined ? undefined : toElement(element);
    if (value instanceof Refusal) return value;
    if (value !== undefined && value !== null) values.push(value);
  }
  return values;
}

function separated(raw: unknown, separator: RegExp): readonly string[] | Refusal {
  const text = toBoundedText(raw);
  if (typeof text !== 'string') return text;
  const elements = text.split(separator, MAX_ELEMENTS + 1);
  return elements.length > MAX_ELEMENTS ? INVALID : elements;
}
