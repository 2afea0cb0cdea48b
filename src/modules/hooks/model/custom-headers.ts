import type { NamedValue } from './sealed-values.js';

const MAX_HEADERS = 20;
const MAX_VALUE = 2_048;
const NAME = /^[A-Za-z][0-9A-Za-z._-]{0,254}$/;
// Blanks at the ends would not arrive.
const VALUE = /^[!-~\u0080-\u00ff](?:[ -~\u0080-\u00ff]*[!-~\u0080-\u00ff])?$/;

/** What the service sends itself, and what belongs to the connection. */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const RESERVED_PREFIXES = ['x-gitlab-', 'webhook-'] as const;

/** Whether a header may be sent with deliveries. */
export function isCustomHeader({ key, value }: NamedValue): boolean {
  const name = key.toLowerCase();
  const isReserved =
    RESERVED.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
  return !isReserved && NAME.test(key) && value.length <= MAX_VALUE && VALUE.test(value);
}

/** The headers with others added or replaced, whatever the case of their names; null when they are too many. */
export function mergeHeaders(
  headers: ReadonlyMap<string, string>,
  others: readonly NamedValue[],
): ReadonlyMap<string, string> | null {
  const merged = new Map(headers);
  for (const { key, value } of others) {
    deleteHeader(merged, key);
    merged.set(key, value);
  }
  return merged.size > MAX_HEADERS ? null : merged;
}

/** Deletes a header, whatever the case of its name; false when there is none. */
export function deleteHeader(headers: Map<string, string>, name: string): boolean {
  const key = [...headers.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
  return key !== undefined && headers.delete(key);
}
