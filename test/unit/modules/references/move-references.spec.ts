import { moveReferences } from '../../../../src/modules/issuables/references/move-references.js';
import { parseReferences } from '../../../../src/modules/issuables/references/parse-references.js';

const PUBLIC = {
  id: 1,
  namespaceId: 1,
  namespacePath: 'tools',
  path: 'api',
  visibility: 'public',
} as const;
const INTERNAL = {
  id: 2,
  namespaceId: 2,
  namespacePath: 'apps',
  path: 'web',
  visibility: 'internal',
} as const;
const PRIVATE = {
  id: 3,
  namespaceId: 3,
  namespacePath: 'ops',
  path: 'keys',
  visibility: 'private',
} as const;

describe('references of a text that moves', () => {
  describe('to a project that is less visible', () => {
    it.each([
      ['see #7', 'see tools/api#7'],
      [
        '#1, !2, ~bug, ~"two words", %v1.0 and %"next one"',
        'tools/api#1, tools/api!2, tools/api~bug, tools/api~"two words", tools/api%v1.0 and tools/api%"next one"',
      ],
      ['other#7 and its/own#8', 'tools/other#7 and its/own#8'],
      ['**#7** _#8_ [#9](x#10) `#11`', '**tools/api#7** _tools/api#8_ [#9](x#10) `#11`'],
      ['__a__*#7*', '__a__*tools/api#7*'],
      ['a  \n#7\\\n  #8', 'a  \ntools/api#7\\\n  tools/api#8'],
      [
        '> #1\n> > #2\n> - #3\n>   #4',
        '> tools/api#1\n> > tools/api#2\n> - tools/api#3\n>   tools/api#4',
      ],
      ['- a\n\n\t#1\n', '- a\n\n\ttools/api#1\n'],
      ['1. #1\n   1. [ ] #2', '1. tools/api#1\n   1. [ ] tools/api#2'],
      ['## #1 ##\n#2\n===\n#3', '## tools/api#1 ##\ntools/api#2\n===\ntools/api#3'],
      [
        '| #1 | #2 |\n|----|----|\n| #1 | a #2 |\n| `#3` | #3 |',
        '| tools/api#1 | tools/api#2 |\n|----|----|\n| tools/api#1 | a tools/api#2 |\n| `#3` | tools/api#3 |',
      ],
      ['a\r\n#1\r\n\r\n#2\r\n', 'a\r\ntools/api#1\r\n\r\ntools/api#2\r\n'],
      ['`#1` #1\n```\n#1\n```\n#1', '`#1` tools/api#1\n```\n#1\n```\ntools/api#1'],
      ['<p>\n#1 <!-- #2 -->\n</p>', '<p>\ntools/api#1 <!-- #2 -->\n</p>'],
      ['\\#1 &amp; #2 \\* #3', '\\#1 &amp; tools/api#2 \\* tools/api#3'],
      ['https://example.com/x#1 #2', 'https://example.com/x#1 tools/api#2'],
      ['50% off, ~ 5, a~b %', '50% off, ~ 5, a~b %'],
      ['~5 minutes, %20 and ~"5", but ~5min', '~5 minutes, %20 and ~"5", but tools/api~5min'],
      ['nothing', 'nothing'],
      ['', ''],
    ])('become full: %j becomes %j', (text, expected) => {
      expect(moveReferences(text, PUBLIC, INTERNAL)).toBe(expected);
    });
  });

  describe('to a project that is more visible', () => {
    it.each([
      ['See #7.', 'See \\#7.'],
      ['#1, !2, ~bug, ~"two words" and %v1.0', '\\#1, \\!2, \\~bug, \\~"two words" and \\%v1.0'],
      ['other#7 and apps/web#8', 'other\\#7 and apps/web#8'],
      ['`#1` apps/web#2 **#3**', '`#1` apps/web#2 **\\#3**'],
      ['\\#1 \\\\#2', '\\#1 \\\\\\#2'],
      ['~5 minutes, %20 and a~b', '~5 minutes, %20 and a~b'],
      ['<p>\n#1 tour!2\n</p>\n\n<b>#3</b>', '<p>\n&#35;1 tour&#33;2\n</p>\n\n<b>\\#3</b>'],
      ['| #1 |\n|----|\n| a~b ~c |', '| \\#1 |\n|----|\n| a~b \\~c |'],
      ['nothing', 'nothing'],
    ])('are escaped: %j becomes %j', (text, expected) => {
      expect(moveReferences(text, INTERNAL, PUBLIC)).toBe(expected);
    });

    it('refer to nothing', () => {
      const text = 'Closes #1, tour!2 and @mia\n\n- #3\n\n<div>\n#4 !5\n</div>\n';
      const moved = moveReferences(text, PRIVATE, PUBLIC);
      const { issuables, closings, mentions } = parseReferences(moved, 'https://example.com');
      expect({ issuables, closings, mentions }).toEqual({
        issuables: [],
        closings: [],
        mentions: ['mia'],
      });
      expect(moveReferences(moved, PRIVATE, PUBLIC)).toBe(moved);
    });
  });

  it('become full between projects of the same visibility', () => {
    const from = { ...PRIVATE, path: 'doors' };
    expect(moveReferences('#1 and doors#2', from, PRIVATE)).toBe('ops/doors#1 and ops/doors#2');
  });

  it('stay beyond the first thousand', () => {
    const moved = moveReferences('#1 '.repeat(1_001), INTERNAL, PUBLIC);
    expect(moved).toBe(`${'\\#1 '.repeat(1_000)}#1 `);
  });
});
