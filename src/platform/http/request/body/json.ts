import { invalidParameter } from '../../../errors/index.js';
import { isRecord } from '../../parameters/conversions.js';
import { bare } from '../form-fields.js';
import type { RawParameters } from '../request-parameters.js';
import { utf8Text } from './body-bytes.js';

const NOT_JSON = 'The request body is not valid JSON';

/**
 * Reads the parameters of a JSON body. Values other than objects, and white space, have none: one client sends
 * `null` with every request without parameters.
 *
 * @throws DomainError for anything that does not parse
 */
export function parseJsonObject(bytes: Buffer): RawParameters {
  const value = parsed(bytes);
  return Object.assign(bare(), isRecord(value) ? value : {});
}

function parsed(bytes: Buffer): unknown {
  const text = utf8Text(bytes);
  if (text === undefined) throw invalidParameter(NOT_JSON);
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    throw invalidParameter(NOT_JSON);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * Counts the values of a JSON text as its bytes arrive, before it is parsed: a megabyte of empty objects takes a
 * hundred times its size in memory. Counts every array, every object and every value after a comma.
 */
export class JsonValues {
  count = 0;
  private isInString = false;
  /** Whether the last byte was a backslash that escapes the next. */
  private isEscaping = false;

  add(bytes: Uint8Array): void {
    let position = 0;
    while (position < bytes.length) {
      position = this.isInString ? this.skipString(bytes, position) : this.skip(bytes, position);
    }
  }

  /** Most bytes of large bodies are in strings, so these are searched with `indexOf`. */
  private skipString(bytes: Uint8Array, from: number): number {
    const begin = this.isEscaping ? from + 1 : from;
    const quote = bytes.indexOf(QUOTE, begin);
    const end = quote < 0 ? bytes.length : quote;
    let first = end;
    while (first > begin && bytes[first - 1] === BACKSLASH) first -= 1;
    const isEscaped = (end - first) % 2 === 1;
    this.isEscaping = quote < 0 && isEscaped;
    this.isInString = quote < 0 || isEscaped;
    return end + 1;
  }

  private skip(bytes: Uint8Array, from: number): number {
    let count = 0;
    let position = from;
    for (; position < bytes.length; position += 1) {
      const byte = bytes[position];
      if (byte === QUOTE) break;
      if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) count += 1;
    }
    this.count += count;
    this.isInString = position < bytes.length;
    return position + 1;
  }
}
