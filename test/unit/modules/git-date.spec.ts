import fc from 'fast-check';
import { parseCommit } from '../../../src/git/model/commit-parser.js';
import { formatGitDate } from '../../../src/modules/repository/shared/git-date.js';

const format = (iso: string, timezone: string) =>
  formatGitDate({ name: '', email: '', date: new Date(iso), timezone });

describe('dates of commits', () => {
  it.each([
    ['2017-01-09T08:30:00Z', '+0200', '2017-01-09T10:30:00.000+02:00'],
    ['2017-01-09T08:30:00Z', '-0330', '2017-01-09T05:00:00.000-03:30'],
    ['2016-12-31T23:30:00Z', '+0100', '2017-01-01T00:30:00.000+01:00'],
    ['1970-01-01T00:00:00Z', '+0000', '1970-01-01T00:00:00.000+00:00'],
    ['2017-01-09T08:30:00Z', '-0000', '2017-01-09T08:30:00.000+00:00'],
    ['2017-01-09T08:30:00Z', '-0030', '2017-01-09T08:00:00.000-00:30'],
    ['2017-01-09T08:30:00Z', '+9999', '2017-01-09T08:30:00.000+00:00'],
    ['2017-01-09T08:30:00Z', '+0160', '2017-01-09T08:30:00.000+00:00'],
    ['2017-01-09T08:30:00Z', 'nonsense', '2017-01-09T08:30:00.000+00:00'],
  ])('%s at %s is %s', (iso, timezone, expected) => {
    expect(format(iso, timezone)).toBe(expected);
  });

  it('have every offset, also in the far future', () => {
    const late = Buffer.from(`tree ${'a'.repeat(40)}\nauthor A <a> 8640000000000 +2359\n\n`);
    const { author } = parseCommit('b'.repeat(40), late);
    expect(formatGitDate(author)).toBe('1970-01-01T23:59:00.000+23:59');
    const latest = Buffer.from(late.toString().replace('8640000000000', '8639999827200'));
    expect(formatGitDate(parseCommit('b'.repeat(40), latest).author)).toMatch(/^\+275760-09-/);
  });

  it('name the same moment in every offset', () => {
    const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
    const offset = fc.tuple(fc.constantFrom('+', '-'), fc.nat(14), fc.nat(59));
    fc.assert(
      fc.property(seconds, offset, (second, [sign, hours, minutes]) => {
        const two = (value: number) => String(value).padStart(2, '0');
        const date = new Date(second * 1000);
        const timezone = `${sign}${two(hours)}${two(minutes)}`;
        const text = formatGitDate({ name: '', email: '', date, timezone });
        expect(new Date(text).getTime()).toBe(date.getTime());
      }),
    );
  });
});
