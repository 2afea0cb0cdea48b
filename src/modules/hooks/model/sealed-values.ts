import type { Secrets } from '../../../platform/secrets/index.js';

/** A name with its value, of a custom header or a URL variable. */
export interface NamedValue {
  readonly key: string;
  readonly value: string;
}

/** The encrypted value. */
interface SealedValues {
  /** Scheme, host and port that the values are for, so that they are never sent elsewhere. */
  readonly origin: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Values as they are stored: encrypted, and their names beside them. */
export interface StoredValues {
  readonly sealed: string | null;
  readonly names: readonly string[];
}

const NONE: StoredValues = { sealed: null, names: [] };

/** The values that are for a server; none when they are for another. @throws Error when they were encrypted with another key */
export function openValues(
  sealed: string | null,
  origin: string,
  secrets: Secrets,
): ReadonlyMap<string, string> {
  if (sealed === null) return new Map();
  const stored = JSON.parse(secrets.open(sealed)) as SealedValues;
  return new Map(stored.origin === origin ? Object.entries(stored.values) : []);
}

export function sealValues(
  values: ReadonlyMap<string, string>,
  origin: string,
  secrets: Secrets,
): StoredValues {
  if (values.size === 0) return NONE;
  const stored: SealedValues = { origin, values: Object.fromEntries(values) };
  return { sealed: secrets.seal(JSON.stringify(stored)), names: [...values.keys()] };
}
