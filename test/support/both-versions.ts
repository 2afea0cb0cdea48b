import { readFileSync } from 'node:fs';

type Body = Readonly<Record<string, unknown>>;

const TABLE = 'docs/reference/v4.md';
const HEADING = '## Fields with other values';

/**
 * The fields that versions 3 and 4 show with different values, and those that only version 3 has, by the table of the
 * reference: `issue.state`, or `*.state` for all resources.
 */
export function knownDifferences(): ReadonlySet<string> {
  const [, section = ''] = readFileSync(TABLE, 'utf8').split(`${HEADING}\n`);
  const rows = section.split('\n## ')[0]?.matchAll(/^\|(?<fields>[^|]+)\|/gm) ?? [];
  const cells = [...rows].map(({ groups }) => groups?.['fields'] ?? '');
  return new Set(
    cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)),
  );
}

/**
 * What differs between the answers of versions 3 and 4 about one thing, beside what is known: each field of version 3 has the
 * same value in version 4, which may have more. Addresses of pages have `/-/` in version 4.
 */
export function differencesOf(
  kind: string,
  older: Body,
  newer: Body,
  known: ReadonlySet<string>,
): string[] {
  const differences = compare([], older, newer).filter(
    ({ path }) => !path.some((_, length) => isKnown(kind, path.slice(0, length + 1), known)),
  );
  return differences.map(({ path, text }) => `${kind}.${path.join('.')}: ${text}`);
}

const isKnown = (kind: string, path: readonly string[], known: ReadonlySet<string>): boolean =>
  known.has(`${kind}.${path.join('.')}`) || known.has(`*.${path.at(-1) ?? ''}`);

interface Difference {
  readonly path: readonly string[];
  readonly text: string;
}

function compare(path: readonly string[], older: unknown, newer: unknown): Difference[] {
  if (isRecord(older) && isRecord(newer)) {
    return Object.keys(older).flatMap((name) =>
      name in newer
        ? compare([...path, name], older[name], newer[name])
        : [{ path: [...path, name], text: 'only version 3 has it' }],
    );
  }
  const [one, other] = [older, newer].map((value) => JSON.stringify(value).replaceAll('/-/', '/'));
  return one === other
    ? []
    : [{ path, text: `${String(one)} in version 3, ${String(other)} in version 4` }];
}

const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
