import type { ValueTransformer } from 'typeorm';

/** Returns a transformer of columns that store names as numbers, also of nullable ones and of arrays. */
export function storedAs(numbers: Readonly<Record<string, number>>): ValueTransformer {
  const names = new Map(Object.entries(numbers).map(([name, number]) => [number, name]));
  return {
    to: (value: unknown) => convert(value, (name) => numbers[name as string]),
    from: (value: unknown) => convert(value, (number) => names.get(number as number)),
  };
}

function convert(value: unknown, one: (value: unknown) => unknown): unknown {
  if (value === null || value === undefined) return value;
  return Array.isArray(value) ? value.map(one) : one(value);
}
