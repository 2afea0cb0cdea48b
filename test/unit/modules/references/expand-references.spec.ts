import { expandReferences } from '../../../../src/modules/issuables/references/moved-references.js';

const from = { namespacePath: 'tools', path: 'api' };
const to = { namespacePath: 'apps', path: 'web' };

describe('references of a text that moves', () => {
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
  ])('%j becomes %j', (text, expected) => {
    expect(expandReferences(text, from, to).text).toBe(expected);
  });

  it('stay where the project stays the same', () => {
    expect(expandReferences('#7', from, from)).toEqual({ text: '#7', added: [] });
  });
});
