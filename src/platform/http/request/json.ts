import { invalidParameter } from '../../errors/index.js';
import { isRecord } from '../parameters/conversion.js';
import { bare } from './form-fields.js';
import type { RawParameters } from './request-parameters.js';

const NOT_JSON = 'The request body is not valid JSON';

/**
 * Reads a JSON body that must be an object. White space alone counts as an empty body.
 *
 * @throws DomainError for anything else
 */
export function parseJsonObject(bytes: Buffer): RawParameters {
  const value = parsed(bytes);
  if (!isRecord(value)) throw invalidParameter(NOT_JSON);
  return Object.assign(bare(), value);
}

function parsed(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    throw invalidParameter(NOT_JSON);
  }
}
