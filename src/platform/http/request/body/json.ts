import { invalidParameter } from '../../../errors/index.js';
import { isRecord } from '../../parameters/conversions/conversion.js';
import { bare } from '../form-fields.js';
import type { RawParameters } from '../request-parameters.js';
import { utf8Text } from './utf8-text.js';

const NOT_JSON = 'The request body is not valid JSON';

/**
 * Reads the parameters of a JSON body. A value that is no object has none, and neither has white space:
 * one client sends `null` with every request without parameters.
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
