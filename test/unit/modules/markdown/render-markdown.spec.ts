import fc from 'fast-check';
import { parseReferences } from '../../../../src/modules/issuables/references/parse-references.js';
import { renderMarkdown } from '../../../../src/modules/markdown/rendering/render-markdown.js';
import {
  escapeHtml,
  escapeLongText,
  type PlacedReference,
} from '../../../../src/modules/markdown/rendering/rendered-text.js';
import { seedOf } from '../../../support/lengths.js';

const E = 'https://git.example.com';
const PROJECT = { address: `${E}/crew/tour`, branch: 'main' };
const SECRET = '0123456789abcdef0123456789abcdef';
const EXTERNAL = 'rel="nofollow noreferrer noopener"';

const render = (text: string, isFlavored = true) =>
  renderMarkdown(text, { externalUrl: E, isFlavored, project: PROJECT });

/** The HTML for a reader who may follow nothing. */
function html(text: string, isFlavored = true): string {
  const { pieces, references } = render(text, isFlavored);
  return pieces.map((piece, index) => piece + (references[index]?.plain ?? '')).join('');
}

const written = ({ sign, project, name }: PlacedReference): string => {
  const { namespace = null, path = '' } = project ?? {};
  return `${namespace === null ? '' : `${namespace}/`}${path}${sign}${name}`;
};

const references = (text: string): string[] => render(text).references.map(written);

describe('escaping', () => {
  it('is the same for long texts', () => {
    const text = fc.string({
      unit: fc.constantFrom('&', '<', '>', '"', "'", 'a', 'é', '\n', '😀'),
    });
    fc.assert(fc.property(text, (one) => escapeLongText(one) === escapeHtml(one)));
    expect(escapeLongText('&<>"\'é😀')).toBe("&amp;&lt;&gt;&quot;'é😀");
  });
});

describe('rendered Markdown', () => {
  it.each([
    ['a **b** _c_ `d`', '<p dir="auto">a <strong>b</strong> <em>c</em> <code>d</code></p>\n'],
    ['~~old~~', '<p dir="auto"><s>old</s></p>\n'],
    ['a\nb  \nc', '<p dir="auto">a\nb<br />\nc</p>\n'],
    ['```ruby\nx < 1\n```', '<pre><code class="language-ruby">x &lt; 1\n</code></pre>\n'],
    [
      '|a|b|\n|:-|-:|\n|1|2|',
      '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n' +
        '<tbody>\n<tr>\n<td align="left">1</td>\n<td align="right">2</td>\n</tr>\n</tbody>\n</table>\n',
    ],
    [
      'see https://a.example/b_c_d.',
      `<p dir="auto">see <a href="https://a.example/b_c_d" ${EXTERNAL}>https://a.example/b_c_d</a>.</p>\n`,
    ],
    ['README.md', '<p dir="auto">README.md</p>\n'],
  ])('has for %j the HTML %j', (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it('has boxes in task lists, and emoji', () => {
    expect(html('- [ ] a\n- [x] b :tada: `:tada:` :nothing: 10:20:30')).toBe(
      '<ul class="task-list" dir="auto">\n' +
        '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled /> a</li>\n' +
        '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked /> ' +
        'b 🎉 <code>:tada:</code> :nothing: 10:20:30</li>\n</ul>\n',
    );
  });

  it('has neither references, task lists nor emoji in plain Markdown', () => {
    expect(render('#1 @mia', false).references).toEqual([]);
    expect(html('- [ ] #1 :tada:', false)).toBe('<ul dir="auto">\n<li>[ ] #1 :tada:</li>\n</ul>\n');
  });

  it('gives headings different IDs that lead nowhere outside of the text', () => {
    const heading = (id: string, text: string) =>
      `<h2 dir="auto" id="user-content-${id}">${text}` +
      `<a class="anchor" href="#user-content-${id}" aria-label="Link to heading '${text}'"></a></h2>\n`;
    expect(html('## Über uns!\n## Über uns\n## 2026\n## #1 up')).toBe(
      heading('über-uns', 'Über uns!') +
        heading('über-uns-1', 'Über uns') +
        heading('anchor-2026', '2026') +
        heading('1-up', '#1 up'),
    );
    expect(html('[up](#usage) <a name="usage">a</a>')).toBe(
      '<p dir="auto"><a href="#user-content-usage">up</a> <a id="user-content-usage">a</a></p>\n',
    );
  });

  it.each([
    [
      `![a](/uploads/${SECRET}/a.png)`,
      `<img src="${E}/crew/tour/uploads/${SECRET}/a.png" alt="a" />`,
    ],
    ['[a](docs/b.md#c)', `<a href="${E}/crew/tour/-/blob/main/docs/b.md#c">a</a>`],
    ['[a](../../../b.md)', `<a href="${E}/crew/tour/-/blob/main/b.md">a</a>`],
    ['![a](b.png)', `<img src="${E}/crew/tour/-/raw/main/b.png" alt="a" />`],
    ['a <img src="b.png" width=5>', `a <img src="${E}/crew/tour/-/raw/main/b.png" width="5" />`],
    ['[a](//b.example/c)', `<a href="//b.example/c" ${EXTERNAL}>a</a>`],
    [`<a href="${E}.evil.example/">a</a>`, `<a href="${E}.evil.example/" ${EXTERNAL}>a</a>`],
    [`[a](${E}/crew)`, `<a href="${E}/crew">a</a>`],
    ['<a href="\\\\b.example">a</a>', `<a href="\\\\b.example" ${EXTERNAL}>a</a>`],
  ])('resolves the address of %j', (text, expected) => {
    expect(html(text)).toBe(`<p dir="auto">${expected}</p>\n`);
  });

  it('leaves relative addresses without a project as they are', () => {
    const { pieces } = renderMarkdown('[a](b.md)', {
      externalUrl: E,
      isFlavored: true,
      project: null,
    });
    expect(pieces).toEqual(['<p dir="auto"><a href="b.md">a</a></p>\n']);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="java\nscript:alert(1)">a</a>',
    '<a href="&#106;avascript:alert(1)">a</a>',
    '[a](javascript:alert(1))',
    '<javascript:alert(1)>',
    '![a](data:image/svg+xml;base64,PHN2Zz4=)',
    '<img src="data:image/png;base64,AA==">',
    '<p style="position:fixed">a</p>',
    '<style>p { display: none }</style>',
    '<form action="/a"><input name="b"><button>c</button></form>',
    '<input type="text"><textarea>a</textarea><select><option>b</option></select>',
    '<iframe src="https://a.example"></iframe><object data="a"></object><embed src="a">',
    '<svg><script>alert(1)</script></svg><math><mi xlink:href="javascript:a">b</mi></math>',
    '<base href="https://a.example"><meta http-equiv="refresh" content="0"><link rel="stylesheet" href="a">',
    '<p id="a" onclick="b" class="gfm" data-reference-type="c">#1</p>',
    '<b title="a>#1 @mia">',
    '"><img src=x onerror=alert(1)>@mia',
    '~"<img src=x onerror=alert(1)>"',
    '[a]: <javascript:alert(1)>\n\n[a]',
  ])('makes %j safe', (text) => {
    for (const safe of [html(text), html(`<div>\n${text}\n</div>`), html(text, false)]) {
      expect(safe).not.toMatch(
        /<(?:script|style|form|button|iframe|object|embed|svg|math|base|meta|link|select|textarea)/i,
      );
      for (const [tag] of safe.matchAll(/<[^>]*>/g)) {
        expect(tag).not.toMatch(
          /\son\w+=|style=|data-|javascript:|"data:|class="gfm|type="text"|\0/i,
        );
      }
      expect(safe).not.toMatch(/ id="(?!user-content-)/);
    }
  });

  it.each([
    ['#1 !2 crew/x#3 tour!4', ['#1', '!2', 'crew/x#3', 'tour!4']],
    ['~bug ~"in review" %v1.0 %"next month"', ['~bug', '~in review', '%v1.0', '%next month']],
    ['@mia, @crew.', ['@mia', '@crew']],
    [
      'deadbeef and 0123456789abcdef0123456789abcdef01234567',
      ['deadbeef', '0123456789abcdef0123456789abcdef01234567'],
    ],
    ['deadbee deadbe deadbeefs x-deadbeef /deadbeef', ['deadbee']],
    [`${E}/crew/tour/issues/5 ${E}/crew/tour/-/merge_requests/6`, ['crew/tour#5', 'crew/tour!6']],
    [`https://a.example/?q=@mia#1 ${E}/crew/tour/issues/5?a=b https://a.example/deadbeef`, []],
    ['foo\\_bar#1 @a\\_b', ['foo_bar#1', '@a_b']],
    ['<p>#1 <a href="x">#2</a> <code>#3</code></p>', ['#1']],
    ['`#1` [#2](x) ![#3](y) \\#4 &#35;5 <!-- #6 -->', []],
  ])('refers in %j to %j', (text, expected) => {
    expect(references(text)).toEqual(expected);
  });

  it('keeps at most 3,000 references of a text', () => {
    expect(references('#1 '.repeat(4_000))).toHaveLength(3_000);
  });

  it('refuses a text whose HTML would be a hundred times as long', () => {
    const address = `https://a.example/${'b'.repeat(1_000)}`;
    const uses = '[a] '.repeat(6_000);
    expect(() => render(`[a]: ${address}\n\n${uses}`)).toThrow('too long');
  });

  const seed = seedOf(80);

  it(`finds the references that have effects, seed ${String(seed)}`, () => {
    const word = fc.constantFrom(
      ...['a', '#1', '!2', 'crew/x#3', 'tour!4', '@mia', '@b_c', '@d.e.', 'x@y', '##5', '&amp;#6'],
      ...['`#7`', '`` @g ``', '[#8](x)', '![#9](y)', '\\#10', '\\@h', '&#35;11', '*#12*', '__@i__'],
      ...[
        '~~#13~~',
        '<b>#14</b>',
        '<code>#15</code>',
        '<a href="z">@j</a>',
        '<!-- #16 -->',
        'k\\_l#17',
      ],
      ...[
        `${E}/crew/tour/issues/18`,
        `${E}/crew/tour/-/merge_requests/19`,
        `<${E}/crew/m/issues/20>`,
      ],
      ...[
        'https://o.example/#21',
        'https://o.example/@p',
        '(#22)',
        '"@q"',
        '#23,',
        '#24a',
        'a#25',
        '**',
        '_',
        '`',
      ],
    );
    const line = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
    const block = fc.oneof(
      line,
      fc.tuple(line, line).map((lines) => lines.join('\n')),
      line.map((text) => `# ${text}`),
      line.map((text) => `> ${text}`),
      fc
        .array(line, { minLength: 1, maxLength: 3 })
        .map((lines) => lines.map((one) => `- ${one}`).join('\n')),
      line.map((text) => `\`\`\`\n${text}\n\`\`\``),
      line.map((text) => `    ${text}`),
      line.map((text) => `<div>\n${text.replaceAll('&', '')}\n</div>`),
      fc.tuple(line, line).map(([a, b]) => `| ${a} | x |\n|---|---|\n| ${b} | #26 |`),
    );
    const document = fc
      .array(block, { minLength: 1, maxLength: 5 })
      .map((blocks) => blocks.join('\n\n'));
    const runs = 500;
    fc.assert(
      fc.property(document, (text) => {
        const { mentions, issuables } = parseReferences(text, E);
        const expected = [
          ...mentions.map((name) => `@${name}`),
          ...issuables.map(({ type, project, iid }) =>
            written({
              sign: type === 'Issue' ? '#' : '!',
              project,
              name: String(iid),
              plain: '',
              isUrl: false,
            }),
          ),
        ];
        const shown = references(text).filter((one) => /[#!@]/.test(one));
        expect([...new Set(shown)].sort()).toEqual(expected.sort());
      }),
      { seed, numRuns: runs },
    );
  });
});
