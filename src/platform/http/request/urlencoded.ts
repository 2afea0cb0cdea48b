import { type DomainError, invalidParameter } from '../../errors/index.js';
import { ORDINARY_BODY } from '../../limits/index.js';
import { FormFields } from './form-fields.js';
import type { Parsed } from './parsed.js';

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
  const escaped = cut < 0 ? pair : pair.slice(0, cut);
  const name = decoded(escaped);
  const value = decoded(cut < 0 ? '' : pair.slice(cut + 1));
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
