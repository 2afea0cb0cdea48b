import { moveReferences } from '../../../../src/modules/issuables/references/move-references.js';
import { parseReferences } from '../../../../src/modules/issuables/references/parse-references.js';
import { endOfTag } from '../../../../src/modules/issuables/references/markdown/html-tags.js';
import { readBlocks } from '../../../../src/modules/issuables/references/markdown/blocks.js';

const E = 'https://git.example.com';
const LENGTH = 100_000;

/** What made a Markdown parser go over a text again and again: all of it, or a half of each. */
const REPEATED = [
  ...[
    '![',
    '[',
    '*a_',
    '**a *b_ ',
    '_*',
    '`',
    '`` ` ',
    '<',
    '</',
    '<a b="',
    `<a b='"' `,
    '<!--',
    '<?',
  ],
  ...[
    '[a](',
    '[a](b "',
    '[a](<b',
    '[a]: b\n',
    '[x]: y\n',
    '[a][',
    '&',
    '\\',
    '> ',
    '- ',
    '1. ',
    '\n',
    '- a\n',
  ],
  ...[
    'a|b\n-|-\n',
    '|',
    '<div>\n\n',
    '```\n',
    '#1 ',
    '<b>#1</b>',
    '@a ',
    '@........',
    '~"a ',
    '%a.',
    'a/b#1 ',
  ],
  ...[
    'Closes #1, ',
    'closes ',
    '#1 and ',
    `${E}/a/b/issues/1 `,
    '<code>',
    '<a>',
    '<a>[b](c)</a>',
    '<a/>',
    '[a](b)',
    'https://a.example.com/, ',
    'Closes https://a.example.com/ and ',
    'https://,,,,',
    '\u{1F600}*',
    '---\n',
    '- - - ',
  ],
];
const HALVES = [
  ...[
    ['[', ']'],
    ['![', '](x)'],
    ['![', '[a](b)'],
    ['*a', '[a](b)'],
    ['- ', '\n\n'],
    ['> ', 'a\n'],
  ],
  ...[
    ['[x]: y\n', '[x]'],
    ['*a ', 'a* '],
    ['(', ')'],
    ['@', '.'],
    ['#1', ' '],
  ],
] as const;

const TEXTS = [
  ...REPEATED.map((part) => [part, part.repeat(LENGTH / part.length)] as const),
  ...HALVES.map(
    ([a, b]) =>
      [`${a} … ${b}`, a.repeat(LENGTH / 2 / a.length) + b.repeat(LENGTH / 2 / b.length)] as const,
  ),
];

const OPEN = {
  id: 1,
  namespaceId: 1,
  namespacePath: 'a',
  path: 'b',
  visibility: 'public',
} as const;
const HIDDEN = {
  id: 2,
  namespaceId: 2,
  namespacePath: 'c',
  path: 'd',
  visibility: 'private',
} as const;

describe('the cost of reading references', () => {
  // The text of a million nested brackets took minutes: the bound notices a hang and nothing finer.
  it.each(TEXTS)('is bounded for %j', (_, text) => {
    const started = process.cpuUsage();
    parseReferences(text, E);
    moveReferences(text, OPEN, HIDDEN);
    moveReferences(text, HIDDEN, OPEN);
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  });

  it('ends with the characters that are read', () => {
    const text = `${'x'.repeat(LENGTH)} @mia #1 Closes #2`;
    const nothing = { mentions: [], issuables: [], closings: [] };
    expect(parseReferences(text, E)).toEqual(nothing);
  });

  it('does not grow with the depth of quotes and lists', () => {
    const deep = `${'> - '.repeat(200)}#1`;
    expect(parseReferences(deep, E).issuables).toHaveLength(1);
    expect(readBlocks(deep).leaves[0]!.content.length).toBe(deep.length - 200);
  });

  it('keeps what a text becomes within what a text may be', () => {
    const from = { ...OPEN, namespacePath: 'n'.repeat(255), path: 'p'.repeat(255) };
    const text = '#1 '.repeat(1_000) + 'x'.repeat(1_000_000);
    const moved = moveReferences(text, from, HIDDEN);
    expect(moved.length).toBeGreaterThan(1_048_000);
    expect(moved.length).toBeLessThanOrEqual(1_048_576);
  });
});

describe('HTML tags', () => {
  it.each([
    ['<b>', 3],
    ['</b >', 5],
    ['<a b = "c>" d=e f/>x', 19],
    [`<a b='x'>`, 9],
    ['<a b="x"c>', -1],
    ['<a b=">', -1],
    ['<1>', -1],
    ['<a', -1],
  ])('%j ends at %i', (text, end) => {
    expect(endOfTag(text, 0)).toBe(end);
  });
});
