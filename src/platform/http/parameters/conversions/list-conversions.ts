import { type Converted, type Converter, elementsOf, INVALID } from './conversion.js';
import { toText } from './scalar-conversions.js';

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
    const texts = elements === undefined ? INVALID : collect(elements, toText);
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
    if (value === INVALID) return INVALID;
    if (value !== undefined && value !== null) values.push(value as T);
  }
  return values;
}

function separated(raw: unknown, separator: RegExp): readonly string[] | undefined {
  const text = toText(raw);
  return typeof text === 'string' ? text.split(separator) : undefined;
}
