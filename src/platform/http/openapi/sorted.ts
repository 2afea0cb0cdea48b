// Their order is the reader's: parameters in declaration order, texts as written.
const KEPT = new Set(['properties', 'required', 'enum', 'parameters', 'security', 'tags']);

/** A copy with the names of every object in order, so that equal documents are equal files. */
export function sorted(value: unknown, key?: string): unknown {
  if (Array.isArray(value)) return value.map((element) => sorted(element));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (key === undefined || !KEPT.has(key)) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, child]) => [name, sorted(child, name)]));
}
