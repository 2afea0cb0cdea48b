/**
 * What a converter makes of a raw value: the value, null ("clear it"), undefined ("not given") or a
 * `Refusal`.
 */
export type Converted<T> = T | null | undefined | Refusal;

/** Reads one raw value; `name` is the parameter's, as a client spells it. */
export type Converter<T> = (raw: unknown, name: string) => Converted<T>;

/** Why a value is not taken; the text follows the parameter's name. */
export class Refusal {
  constructor(readonly text: string) {}
}

export const INVALID = new Refusal('is invalid');
export const NOT_A_VALUE = new Refusal('does not have a valid value');
export const EMPTY = new Refusal('is empty');

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
