import fc from 'fast-check';
import type { Person } from '../../support/factories.js';
import { seedOf } from '../../support/lengths.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const LONGEST_TEXT = 1024 * 1024;
/** Parsing it takes a minute. */
const ENDLESS = '!['.repeat(LONGEST_TEXT / 2);

/** What Markdown, HTML and references are made of. */
const UNITS = [
  ...['- ', '> ', '* 1. ', '|', 'a|b\n-|-\n', '<b>', '</b>', '<a href="', '<!--', '*a_', '**', '_'],
  ...[
    '![',
    '[a](',
    '[a][',
    '`',
    '``a`',
    '[x]: y\n',
    '&amp;',
    '~~',
    'http://a.b/ ',
    '# a\n',
    '\\',
    '<',
  ],
  ...['#1 ', '@a ', '~a ', '%"a" ', 'a/b!1 ', 'deadbeef ', ':tada:', '\t', '\n', '"', '&#0;', '\0'],
];

describe('texts that are designed to be slow to render', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    other = await trellis.factories.user();
  });

  const render = async (text: string, person = owner): Promise<string> => {
    const answer = await trellis.as(person).v4.post('/markdown', { text, gfm: true }).expect(201);
    return (answer.body as { html: string }).html;
  };

  it('are answered as they are written, and other requests meanwhile', async () => {
    const answered: string[] = [];
    const hostile = render(ENDLESS).then((html) => {
      answered.push('hostile');
      return html;
    });
    for (let request = 0; request < 3; request += 1) {
      await trellis.as(other).v4.get('/version').expect(200);
    }
    answered.push('versions');
    expect(await render('a', other)).toBe('<p dir="auto">a</p>\n');
    answered.push('text');
    expect(await hostile).toBe(`<pre>${ENDLESS}</pre>`);
    expect(answered).toEqual(['versions', 'text', 'hostile']);
  });

  const seed = seedOf(47);

  it(`are answered whatever they consist of, seed ${String(seed)}`, async () => {
    const text = fc
      .array(fc.constantFrom(...UNITS), { minLength: 1, maxLength: 3 })
      .map((units) => units.join(''))
      .map((unit) => unit.repeat(Math.floor(LONGEST_TEXT / unit.length)));
    for (const sample of fc.sample(text, { seed, numRuns: 12 })) {
      const html = await render(sample);
      expect(html).not.toMatch(/<script|javascript:|\0/i);
    }
  });
});
