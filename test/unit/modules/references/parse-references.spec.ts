import { parseReferences } from '../../../../src/modules/issuables/references/parse-references.js';
import type { IssuableReference } from '../../../../src/modules/issuables/references/scan-references.js';

const E = 'https://git.example.com';

/** `#1`, `project!2`, `namespace/project#3` and so on, with the mentions before them. */
function references(markdown: string): string[] {
  const { mentions, issuables } = parseReferences(markdown, E);
  return [...mentions.map((name) => `@${name}`), ...issuables.map(written)];
}

const closings = (markdown: string): string[] => parseReferences(markdown, E).closings.map(written);

function written({ type, project, iid }: IssuableReference): string {
  const sign = type === 'Issue' ? '#' : '!';
  if (project === null) return `${sign}${iid}`;
  const { namespace, path } = project;
  return `${namespace === null ? path : `${namespace}/${path}`}${sign}${iid}`;
}

describe('references in Markdown', () => {
  it.each([
    ['#1', ['#1']],
    ['see #1, !2 and #1', ['#1', '!2']],
    ['(#1) "#2" #3. #4: [#5] *#6* __#7__ ~~#8~~', ['#1', '#2', '#3', '#4', '#5', '#6', '#7', '#8']],
    ['api#3 and tools/api!4', ['api#3', 'tools/api!4']],
    ['my.group/my_proj-1#3', ['my.group/my_proj-1#3']],
    ['#1-#3, #4/#5, ...#6', ['#1', '#3', '#4', '#5', '#6']],
    ['a `b`#1', ['#1']],
    ['@mia, @Bob.', ['@mia', '@bob']],
    ['_@mia_ and _thanks to @bob_', ['@mia', '@bob']],
    [
      '@under_score @dot.ted @dash-ed @trailing_',
      ['@under_score', '@dot.ted', '@dash-ed', '@trailing_'],
    ],
    ['@foo\\_bar', ['@foo_bar']],
    ['@all', ['@all']],
    ['https://a.example/?to=@mia @bob', ['@bob']],
    [`${E}/crew/tour/-/issues/1 ${E}/crew/tour/-/merge_requests/2`, ['crew/tour#1', 'crew/tour!2']],
    ['# @mia\n\n> #1\n\n- #2\n  1. #3\n\n| a |\n|---|\n| #4 |', ['@mia', '#1', '#2', '#3', '#4']],
    ['- [ ] do #1', ['#1']],
    ['[#1] [#2][] [#3][4] [#5 (a)](b c)', ['#1', '#2', '#3', '#5']],
    ['a [b](c) #1 <a href="d">e</a> #2', ['#1', '#2']],
    ['<a name="a"/>#1 <a name="b"></a>#2 <a>a<a>b</a>#3', ['#1', '#2', '#3']],
    ['<code></a>a</code>#1 <a></code>a</a>#2 <abbr>#3</abbr>', ['#1', '#2', '#3']],
    ['<p>\n<a href="a">b</a>#1\n</p>', ['#1']],
    ['<div>\n@mia <b>#1</b>\n</div>', ['@mia', '#1']],
    ['a <b>#1</b>', ['#1']],
    ['#2147483647 #2147483648 #99999999999', ['#2147483647']],
  ])('finds in %j: %j', (markdown, expected) => {
    expect(references(markdown)).toEqual(expected);
  });

  it.each([
    ['a code span', '`#1 @mia`, ``a ` #1``'],
    ['a fence', '```\n#1 @mia\n```'],
    ['a fence with a language', '~~~ruby\n#1 @mia\n~~~'],
    ['a fence that never ends', '```\n#1\n\n@mia'],
    ['a fence in a list', '- a\n\n  ```\n  #1\n  ```'],
    ['indented code', 'text\n\n    #1 @mia'],
    ['quoted code', '> ```\n> #1\n> ```'],
    ['an HTML comment', 'a <!-- #1 @mia --> b'],
    ['an HTML comment of several paragraphs', '<!--\n#1\n\n@mia\n-->'],
    ['an HTML comment that never ends', '<!--\n#1\n\n@mia'],
    ['HTML code', 'a <code>#1 @mia</code>'],
    ['a block of HTML code', '<pre>\n#1\n\n@mia\n</pre>'],
    ['attributes', 'a <i title="#1 @mia">b</i>'],
    ['the text of a picture', '![#1 @mia](a.png)'],
    ['the text of a link', '[#1 **!2** @mia @all tools/api#3](https://other.example.com/)'],
    ['the text of a link to a definition', '[#1][a] [@mia][]\n\n[a]: b\n[@mia]: c'],
    ['the text of a link around a picture', '[![#1](a.png) #2](b)'],
    ['an address in the text of a link', `[${E}/tools/api/issues/7 <${E}/tools/api/issues/8>](b)`],
    ['a link', '<a href="b">#1 @mia</a> <A\nHREF=b>#2</A>'],
    ['a link that never ends', '<a name="b">#1 @mia'],
    ['a link in a block of HTML', '<p>\n<a href="b">#1 @mia</a>\n</p>'],
    [
      'a link to an issue within another or code',
      `<a>[b](${E}/a/b/issues/7)</a> <code><${E}/a/b/issues/8></code>`,
    ],
    ['a title', '[a](b "#1 @mia")'],
    ['an escaped sign', '\\#1 \\@mia &#35;1'],
    ['an e-mail address', 'mia@example.com'],
    ['an address elsewhere', 'https://example.com/a/b#1 and https://example.com/@mia'],
    ['words and colours', '#1a #ffffff ##1 @@mia #a a/b/c#1'],
    ['nothing', ''],
  ])('finds none in %s', (_, markdown) => {
    expect(references(markdown)).toEqual([]);
  });

  it.each([
    [`${E}/tools/api/issues/7`, ['tools/api#7']],
    [`${E}/tools/api/merge_requests/7#note_55.`, ['tools/api!7']],
    [`(${E}/tools/api/issues/7), <${E}/tools/api/issues/8>`, ['tools/api#7', 'tools/api#8']],
    [`[that one, #1](${E}/tools/api/issues/7)`, ['tools/api#7']],
    [`[that one][1]\n\n[1]: ${E}/tools/api/issues/7`, ['tools/api#7']],
    [`${E}/tools/api/issues/7/edit ${E}/tools/api/issues/7x`, []],
    [`https://elsewhere.example.com/tools/api/issues/7`, []],
    [`\`${E}/tools/api/issues/7\``, []],
  ])('knows addresses of its own in %j: %j', (markdown, expected) => {
    expect(references(markdown)).toEqual(expected);
  });
});

describe('the closing pattern', () => {
  const words = ['close', 'closes', 'closed', 'closing', 'fix', 'fixes', 'fixed', 'fixing'];
  words.push('resolve', 'resolves', 'resolved', 'resolving');

  it.each(words.flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1)]))(
    'knows %s',
    (word) => {
      expect(closings(`${word} #1`)).toEqual(['#1']);
    },
  );

  it.each([
    ['Closes: #1', ['#1']],
    ['Closes   #1', ['#1']],
    ['Closes issue #1', ['#1']],
    ['Fixes issues #1, #2,#3 and #4', ['#1', '#2', '#3', '#4']],
    ['Closes #1, #2, and #3', ['#1', '#2', '#3']],
    ['Fixes api#1 and tools/api#2', ['api#1', 'tools/api#2']],
    [`Resolves ${E}/tools/api/issues/7`, ['tools/api#7']],
    [`Resolves ${E}/tools/api/issues/7, #8`, ['tools/api#7', '#8']],
    ['Closes https://elsewhere.example.com/tools/api/issues/1 and #2', ['#2']],
    ['Closes #1, http://elsewhere.example.com/a,b#c, and #2', ['#1', '#2']],
    ['Closes https://a.example.com/1,, #2', []],
    ['Closes https://a.example.com/1, HTTPS://b.example.com/2, issues #3', []],
    ['Closes <https://elsewhere.example.com/issues/1>, #2', ['#2']],
    [`Closes ${E}/tools/api/merge_requests/1 and ${E}/tools/api/issues/2`, ['tools/api#2']],
    ['Closes https://elsewhere.example.com/issues/1 but not #2', []],
    ['Closes https://elsewhere.example.com/issues/1. Fixes #2', ['#2']],
    ['Closes [#1](https://elsewhere.example.com/issues/1), #2', []],
    ['Closes #1 but not #2', ['#1']],
    ['Closes #1. Fixes #2; see #3', ['#1', '#2']],
    ['Make it work\n\nThis fixes #1\nand closes #2', ['#1', '#2']],
    ['**Closes #1**', ['#1']],
    ['Closes #1, #1', ['#1']],
  ])('reads %j: %j', (text, expected) => {
    expect(closings(text)).toEqual(expected);
  });

  it.each([
    'Closes#1',
    'CLOSES #1',
    'Closes:#1',
    'discloses #1',
    'prefix #1',
    'Closes the #1',
    'Closes !1',
    'Mentions #1',
    '`Closes #1`',
    'Closes `#1`',
    '```\nCloses #1\n```',
    '<!-- Closes #1 -->',
    'Close, #1',
  ])('does not close anything by %j', (text) => {
    expect(closings(text)).toEqual([]);
  });

  it('takes a long list', () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => `#${index + 1}`);

    expect(closings(`Closes ${numbers.join(', ')}`)).toEqual(numbers);
  });

  it('looks no further than a hundred thousand characters', () => {
    expect(closings(`${'x '.repeat(49_990)}Closes #1`)).toEqual(['#1']);
    expect(closings(`${'x '.repeat(50_000)}Closes #1`)).toEqual([]);
  });
});
