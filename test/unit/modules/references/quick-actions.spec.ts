import fc from 'fast-check';
import {
  dayOf,
  labelNamesOf,
  milestoneTitleOf,
  usernamesOf,
} from '../../../../src/modules/issuables/changes/quick-action-arguments.js';
import {
  ACTIONS_PER_TEXT,
  parseQuickActions,
} from '../../../../src/modules/issuables/references/quick-action-reader.js';
import { REFERENCE_CHARACTERS_PER_TEXT } from '../../../../src/modules/issuables/references/parse-references.js';
import { seedOf } from '../../../support/lengths.js';

const SEED = seedOf(4701);

const names = (text: string): string[] => parseQuickActions(text).actions.map(({ name }) => name);

describe('parsing quick actions', () => {
  it('takes their lines out of a text', () => {
    expect(parseQuickActions('Fixed.\n/close\n/label ~bug ~"to do"\n\nThanks.')).toEqual({
      text: 'Fixed.\n\nThanks.',
      actions: [
        { name: 'close', argument: '' },
        { name: 'label', argument: '~bug ~"to do"' },
      ],
    });
  });

  it('leaves nothing of a text that consists of them', () => {
    expect(parseQuickActions('\n/close  \r\n/TODO\r\n').text).toBe('');
    expect(names('\n/close  \r\n/TODO\r\n')).toEqual(['close', 'todo']);
  });

  it.each([
    ['in a word', 'see src/close'],
    ['behind blanks', ' /close'],
    ['of another name', '/closes'],
    ['unknown', '/shrug'],
    ['escaped', '\\/close'],
    ['in a fenced block', '```\n/close\n```'],
    ['in an open fenced block', '~~~ sh\n/close'],
    ['in an indented block', 'Code:\n\n    /close'],
    ['in code within a paragraph', 'Say `\n/close\n` or so'],
    ['in a quote', '> /close'],
    ['that continues a quote', '> quoted\n/close'],
    ['in a quote of lines', '>>>\nquoted\n\n/close\n>>>'],
    ['in a comment', '<!--\n/close\n-->'],
    ['in a block of HTML', '<div>\n/close\n</div>'],
    ['in a table', '/label ~a | b\n---|---\n1 | 2'],
  ])('leaves a line alone that is %s', (_, text) => {
    expect(parseQuickActions(text)).toEqual({ text, actions: [] });
  });

  it.each([
    ['after a fenced block', '```\ncode\n```\n/close'],
    ['after a list', '- one\n- two\n/close'],
    ['after a quote of lines', '>>>\nquoted\n>>>\n/close'],
    ['below a mark of quotes that is not closed', '>>>\n/close'],
    ['after a mark of quotes in code', '```\n>>>\n```\n/close\n\n>>>'],
    ['with an argument in code', '/close `now`'],
    ['after a heading', '# Done\n/close'],
  ])('finds a line %s', (_, text) => {
    expect(names(text)).toEqual(['close']);
  });

  it('finds no more than the most of one text', () => {
    const text = Array.from({ length: ACTIONS_PER_TEXT + 1 }, () => '/todo').join('\n');
    const parsed = parseQuickActions(text);
    expect(parsed.actions).toHaveLength(ACTIONS_PER_TEXT);
    expect(parsed.text).toBe('/todo');
  });

  it('reads only the beginning of a long text', () => {
    const long = 'x'.repeat(REFERENCE_CHARACTERS_PER_TEXT);
    expect(parseQuickActions(`${long}\n/close`)).toEqual({ text: `${long}\n/close`, actions: [] });
    expect(parseQuickActions(`/close\n${long}\n/todo`)).toEqual({
      text: `${long}\n/todo`,
      actions: [{ name: 'close', argument: '' }],
    });
  });

  it(`keeps every other line in its order (seed ${String(SEED)})`, () => {
    const line = fc.constantFrom(
      ...['/close', '/label ~a', '/todo x', '/shrug', '```', '>>>', '> a', '    b', '', '- c'],
      ...['`', '<div>', '</div>', 'a | b', '---|---', '<!--', '-->', '# d', 'e', '1. f', '\\'],
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const { text, actions } = parseQuickActions(lines.join('\n'));
        const kept = text.split('\n');
        const isCommand = (one: string) => /^\/(?:close|label|todo)/.test(one);
        const isShown = (one: string) => one.trim() !== '' && !isCommand(one);
        expect(kept.filter(isShown)).toEqual(lines.filter(isShown).map((one) => one.trimEnd()));
        const count = (texts: readonly string[]) => texts.filter(isCommand).length;
        expect(count(kept) + actions.length).toBe(count(lines));
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  it.each([
    ['commands', '/label ~a\n'],
    ['marks of quotes', '>>>\n/close\n'],
    ['open fences', '/close\n```\n'],
    ['blank lines', '\n'],
    ['open code', '/close `\n'],
  ])('takes time that is linear in a text of %s', (_, piece) => {
    const measure = (length: number): number => {
      const text = piece.repeat(length / piece.length);
      const before = process.cpuUsage();
      for (let round = 0; round < 3; round += 1) parseQuickActions(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    measure(20_000);
    expect(measure(100_000)).toBeLessThan(20 * Math.max(measure(20_000), 10));
  });
});

describe('arguments of quick actions', () => {
  it('reads names of labels, users and milestones', () => {
    expect(labelNamesOf('~bug ~"to do" urgent ~a::b')).toEqual(['bug', 'to do', 'urgent', 'a::b']);
    expect(usernamesOf('@Maria, me  @jan.b')).toEqual(['maria', 'me', 'jan.b']);
    expect(milestoneTitleOf('%"Version 1"')).toBe('Version 1');
    expect(milestoneTitleOf('%v1')).toBe('v1');
    expect(milestoneTitleOf('Next one')).toBe('Next one');
  });

  it.each([
    ['2026-12-31', '2026-12-31'],
    ['today', '2026-11-30'],
    ['Tomorrow', '2026-12-01'],
    ['in 3 days', '2026-12-03'],
    ['in 1 week', '2026-12-07'],
    ['in 2 months', '2027-01-30'],
    ['in 1 year', '2027-11-30'],
    ['2026-02-30', null],
    ['0000-01-01', null],
    ['in 9999 years', null],
    ['soon', null],
    ['', null],
  ])('reads the day %s as %s', (text, day) => {
    expect(dayOf(text, new Date('2026-11-30T12:00:00Z'))).toBe(day);
  });
});
