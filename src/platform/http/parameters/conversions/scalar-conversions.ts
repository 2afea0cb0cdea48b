import { MAX_ID, UNKNOWN_ID } from '../../../database/index.js';
import { type Converted, EMPTY, INVALID, NOT_A_VALUE } from './conversion.js';

const INTEGER = /^-?\d+$/;
const TRUE = new Set(['true', '1', 't', 'y', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'f', 'n', 'no', 'off']);

/** Any integer, however large; `""` is "not given". */
export function toInteger(raw: unknown): Converted<number> {
  if (raw === '') return undefined;
  if (typeof raw === 'number') return Number.isInteger(raw) ? raw : INVALID;
  return typeof raw === 'string' && INTEGER.test(raw) ? Number(raw) : INVALID;
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
export function toText(raw: unknown): Converted<string> {
  if (typeof raw === 'string') return raw;
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : INVALID;
}

/** What a blank string (empty or white space only) means for a parameter. */
export type BlankMeaning = 'kept' | 'absent' | 'refused';

export function textWhereBlankIs(meaning: BlankMeaning): (raw: unknown) => Converted<string> {
  return (raw) => {
    const text = toText(raw);
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
