/** What a client sends that means harm, or knows no better. */
export interface HostileValue {
  title: string;
  value: unknown;
}

const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) });

/** For parameters in bodies. */
const VALUES: readonly (readonly [title: string, value: unknown])[] = [
  ['an object', { a: 1 }],
  ['nested objects', nested(60)],
  ['an array of objects', [{ id: 1 }, 'x', 1]],
  ['null', null],
  ['a NUL', 'a\0b'],
  ['100 kB', 'x'.repeat(100_000)],
  ['a traversal', '../../../../etc/passwd'],
  ['SQL', "'%_\\); DROP TABLE users; --"],
  ['text from right to left, and half a pair', '\u202egnp.exe\u202c\ud800'],
  ['letters that look like others, joined signs', 'аdmin👩‍👩‍👧e\u0301\u200b'],
  ['lines of a header', 'a\r\nSet-Cookie: <b>=c'],
  ['an integer beyond 32 bits', 2_147_483_648],
  ['an integer beyond 64 bits', '9223372036854775808'],
  ['a huge number', 1e300],
  ['a negative number', -1],
  ['a fraction', 1.5],
  ['true', true],
  ['blanks', ' \t '],
  ['an endless day', 'infinity'],
];

export const HOSTILE_VALUES: readonly HostileValue[] = VALUES.map(([title, value]) => ({
  title,
  value,
}));

/** Parts of texts: many of them make naive code recurse, spread or backtrack. */
export const REPEATED_PARTS: readonly string[] = [
  ...['b/', '/', '.', '..', '日', '@a ', '#1 ', '[a](', '(', '"', "\\'", '<a ', '`', '1,', 'x@x.'],
  ...[' ', 'a\n', '\r\n', '-', ':', '%', '[WIP] ', 'https://', 'ssh-rsa '],
];

/** Those of the short forms: one of ASCII, one of several bytes. */
export const BRIEF_PARTS: readonly string[] = ['b/', '日'];

/** For query strings: `name=value` in many forms. */
export function hostileQueries(name: string): string[] {
  const texts = VALUES.flatMap(([, value]) => (isText(value) ? [encoded(value)] : []));
  const forms = [
    name,
    `${name}[a]=1`,
    `${name}[]=x&${name}[]=y`,
    `${name}[a][b][c][d][e]=1`,
    `${name}=x&${name}[a]=1&${name}[__proto__][admin]=1`,
    `${name}=%`,
    `${name}=%zz`,
    `${name}=%ff`,
  ];
  return [...texts.map((text) => `${name}=${text}`), ...forms];
}

/** For values in paths: what stands between two slashes. */
export function hostileSegments(): string[] {
  const texts = VALUES.flatMap(([, value]) => (isText(value) ? [encoded(value)] : []));
  const escapes = ['%00', '%', '%zz', '%ff', '%2e%2e', 'a%2Fb%2Fc', '%252F', '%2e%2e%2F1'];
  return [...texts, ...escapes, '0', '1e3', '0x1', '99999999999999999999', encoded('١')];
}

/** Whole JSON bodies that are wrong in themselves, or name a parameter twice. */
export function hostileBodies(name: string): string[] {
  return [
    '{',
    '[1]',
    '"text"',
    '1e400',
    '\u0000',
    `{"${name}":"one","${name}":{"two":2}}`,
    `{"${name}":1e400}`,
    `{"${name}":-0}`,
    `{"${name}":"\\u0000"}`,
    '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
    `{"${name}":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    `{"${name}":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
  ];
}

function isText(value: unknown): value is string | number | boolean {
  return typeof value !== 'object';
}

/** Shortened to what fits into the first lines of a request, which the server limits as a whole. */
function encoded(value: string | number | boolean): string {
  const text = Buffer.from(String(value).slice(0, 4_000)).toString();
  return encodeURIComponent(text);
}
