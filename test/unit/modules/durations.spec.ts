import {
  formatDuration,
  MAX_SECONDS,
  parseDuration,
} from '../../../src/modules/issuables/model/durations.js';

const HOUR = 3_600;

describe('durations', () => {
  it.each([
    ['1mo 2w 3d 4h 5m 6s', ((20 + 10 + 3) * 8 + 4) * HOUR + 5 * 60 + 6],
    ['3w1h', (15 * 8 + 1) * HOUR],
    ['2 hours, 30 minutes', 2.5 * HOUR],
    ['1.5h', 1.5 * HOUR],
    ['90M', 90 * 60],
    ['3', 3 * HOUR],
    ['0', 0],
    ['-0h', 0],
    [' -1h 30m ', -1.5 * HOUR],
    [`${String(MAX_SECONDS)}s`, MAX_SECONDS],
  ])('reads %j', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each([
    ...['', ' ', '-', 'asdf', '1x', '1h x', 'h', '1.2.3h', '--1h', '1h -1m', '.'],
    ...[`${String(MAX_SECONDS + 1)}s`, '9999999999999h', `1h${' '.repeat(300)}1m`],
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it.each([
    [0, ''],
    [60, '1m'],
    [8 * HOUR, '1d'],
    [((20 + 10 + 3) * 8 + 4) * HOUR + 5 * 60 + 6, '1mo 2w 3d 4h 5m 6s'],
    [30 * 20 * 8 * HOUR, '30mo'],
  ])('writes %d seconds', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
