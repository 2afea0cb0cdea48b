import type { Visibility } from '../../../modules/authorization/index.js';
import { readVisibility } from '../../../modules/authorization/v3/visibility.js';
import { CommandError } from '../../errors.js';
import { parseTime } from '../../time-option.js';

/** An answer of the other server does not have the form that the interface describes. */
export class MalformedRecordError extends CommandError {}

const MAX_INT = 2 ** 31 - 1;
/** New issues, merge requests and milestones get higher numbers, which have to fit, too. */
const MAX_NUMBER = 1_000_000_000;
/** Of an e-mail, a name or a title. */
const MAX_LINE = 255;
/** Of a description or note, in characters. */
const MAX_TEXT = 1024 * 1024;
/** PostgreSQL stores neither zero characters nor halves of pairs. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;
/** PostgreSQL has no year 0. */
const DAY = /^(?!0000)\d{4}-\d\d-\d\d$/;

/** A record of the other server, whose fields are checked as they are read. Texts are made storable, and cut. */
export class RemoteRecord {
  private readonly fields: Readonly<Record<string, unknown>>;

  /** @param path where it comes from, for messages */
  constructor(
    value: unknown,
    private readonly path: string,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new MalformedRecordError(`${path} has no records`);
    }
    this.fields = value as Record<string, unknown>;
  }

  /** An ID: positive. */
  integer(name: string, maximum = MAX_INT): number {
    const value = this.fields[name];
    if (Number.isInteger(value) && Number(value) > 0 && Number(value) <= maximum)
      return Number(value);
    throw this.malformed(name);
  }

  /** The number of an issue, merge request or milestone in its project. */
  iid(): number {
    return this.integer('iid', MAX_NUMBER);
  }

  optionalInteger(name: string): number | null {
    return this.isAbsent(name) ? null : this.integer(name);
  }

  /** A level or a similar small number; the fallback if absent. */
  level(name: string, fallback: number): number {
    const value = this.fields[name];
    return Number.isInteger(value) && Math.abs(Number(value)) <= 1_000_000
      ? Number(value)
      : fallback;
  }

  /** Null unless it is a small number. */
  optionalLevel(name: string): number | null {
    return this.isAbsent(name) ? null : this.level(name, 0);
  }

  /** The visibility of a group or project; private if there is none. */
  visibility(): Visibility {
    return readVisibility(this.level('visibility_level', 0)) ?? 'private';
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.fields[name];
    return typeof value === 'boolean' ? value : fallback;
  }

  /** A short text that is not blank: a name, a title, a path. */
  line(name: string, maximum = MAX_LINE): string {
    const line = this.optionalLine(name, maximum);
    if (line === null) throw this.malformed(name);
    return line;
  }

  optionalLine(name: string, maximum = MAX_LINE): string | null {
    const text = this.optionalText(name)?.replace(/\s+/g, ' ').trim() ?? '';
    return text === '' ? null : cut(text, maximum);
  }

  /** Markdown; null if absent or empty. */
  optionalText(name: string, maximum = MAX_TEXT): string | null {
    const value = this.fields[name];
    if (value === undefined || value === null || value === '') return null;
    if (typeof value !== 'string') throw this.malformed(name);
    return cut(value.replace(UNSTORABLE, ''), maximum);
  }

  time(name: string): Date {
    const value = this.fields[name];
    const time = parseTime(typeof value === 'string' ? value : '');
    const year = time.getUTCFullYear();
    if (year >= 1970 && year < 2200) return time;
    throw this.malformed(name);
  }

  /** A time, the fallback if it is absent: not all answers have all times. */
  timeOr(name: string, fallback: Date): Date {
    return this.isAbsent(name) ? fallback : this.time(name);
  }

  /** A day, `YYYY-MM-DD`. */
  optionalDay(name: string): string | null {
    const value = this.fields[name];
    const day = typeof value === 'string' && DAY.test(value) ? new Date(value) : new Date(NaN);
    // A day that the month lacks becomes one of the next month.
    return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(String(value))
      ? String(value)
      : null;
  }

  /** @param fallback if it has none of these values; otherwise that is an error */
  oneOf<Value extends string>(name: string, values: readonly Value[], fallback?: Value): Value {
    const found = values.find((value) => value === this.fields[name]) ?? fallback;
    if (found === undefined) throw this.malformed(name);
    return found;
  }

  /** The hash of a commit. */
  optionalOid(name: string): string | null {
    const value = this.fields[name];
    return typeof value === 'string' && /^[0-9a-f]{40}$/.test(value) ? value : null;
  }

  lines(name: string): string[] {
    const value = this.fields[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value) || value.length > 1_000) throw this.malformed(name);
    return value.flatMap((line) =>
      typeof line === 'string' ? [cut(line.replace(UNSTORABLE, ''), MAX_LINE)] : [],
    );
  }

  record(name: string): RemoteRecord {
    return new RemoteRecord(this.fields[name], `${this.path}: ${name}`);
  }

  optionalRecord(name: string): RemoteRecord | null {
    return this.isAbsent(name) ? null : this.record(name);
  }

  private isAbsent(name: string): boolean {
    return this.fields[name] === undefined || this.fields[name] === null;
  }

  private malformed(name: string): MalformedRecordError {
    return new MalformedRecordError(`${this.path}: ${name} is not as expected`);
  }
}

/** Cuts a text at whole characters. */
function cut(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  const characters = [...text];
  return characters.length <= maximum ? text : characters.slice(0, maximum).join('');
}
