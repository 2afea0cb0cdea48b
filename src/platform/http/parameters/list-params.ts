import {
  type Converter,
  elementsOf,
  integerList,
  INVALID,
  isRecord,
  stringList,
  toId,
  toStoredInteger,
} from './conversions.js';
import type { ParametersClass } from './declaration.js';
import { parameter, type ParameterOptions } from './declare.js';
import { readParameters } from './validate-parameters.js';

interface StringListOptions extends ParameterOptions {
  /** Where a single string is cut. Default: at commas. */
  separator?: RegExp;
}

/** A list of integers that fit 32 bits. */
export function IntegerListParam(options: ParameterOptions = {}): PropertyDecorator {
  return parameter(options, integerList(toStoredInteger), {
    type: 'array',
    items: { type: 'integer' },
  });
}

/** A list of ids; those no row can have become `UNKNOWN_ID`. */
export function IdListParam(options: ParameterOptions = {}): PropertyDecorator {
  return parameter(options, integerList(toId), { type: 'array', items: { type: 'integer' } });
}

/** A list of trimmed, non-blank strings. */
export function StringListParam(options: StringListOptions = {}): PropertyDecorator {
  return parameter(options, stringList(options.separator ?? /,/), {
    type: 'array',
    items: { type: 'string' },
  });
}

/** An object with the declared parameters of `item` (`range[start]=…`). Errors name its parts: `range[start] is missing`. */
export function ObjectParam<T extends object>(
  item: ParametersClass<T>,
  options: ParameterOptions = {},
): PropertyDecorator {
  const convert: Converter<T> = (raw, name) =>
    isRecord(raw) ? readParameters(item, raw, name) : INVALID;
  return parameter(options, convert, { type: 'object' });
}

/**
 * A list of objects, each with the declared parameters of `item` (`actions[][file_path]=…`). An empty
 * list is "not given". Errors name the element: `actions[0][action] is missing`.
 */
export function ObjectListParam<T extends object>(
  item: ParametersClass<T>,
  options: ParameterOptions = {},
): PropertyDecorator {
  const convert: Converter<T[]> = (raw, name) => {
    const elements = elementsOf(raw);
    if (!elements?.every(isRecord)) return INVALID;
    if (elements.length === 0) return undefined;
    return elements.map((element, index) => readParameters(item, element, `${name}[${index}]`));
  };
  return parameter(options, convert, { type: 'array', items: { type: 'object' } });
}
