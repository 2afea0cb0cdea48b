import { MAX_ID } from '../database/index.js';
import { pageTokenUnknown } from '../errors/index.js';

/** What a page begins behind: columns of the last row of the page before. Numbers are IDs. */
export type CursorValues = Readonly<Record<string, string | number>>;

/** Makes an opaque text of the values of a row. */
export const toCursor = (values: CursorValues): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/**
 * Reads a text of `toCursor`.
 * @param shape an example of its values
 * @throws DomainError page token unknown for a text that is none, or has values of another type
 */
export function readCursor<Values extends CursorValues>(text: string, shape: Values): Values {
  const values = parse(text);
  const isWhole = Object.entries(shape).every(([name, example]) => {
    const value = values[name];
    if (typeof value !== typeof example) return false;
    return typeof value === 'number' ? isId(value) : !String(value).includes('\0');
  });
  if (!isWhole) throw pageTokenUnknown(text);
  return values as Values;
}

const isId = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= MAX_ID;

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
