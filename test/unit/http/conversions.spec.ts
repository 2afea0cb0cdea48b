import { UNKNOWN_ID } from '../../../src/platform/database/index.js';
import {
  INVALID,
  NOT_A_VALUE,
  EMPTY,
  integerList,
  stringList,
  oneOf,
  textWhereBlankIs,
  TOO_LONG,
  toBoolean,
  toClampedInteger,
  toId,
  toStoredInteger,
  toText,
  toDate,
  toTimestamp,
} from '../../../src/platform/http/parameters/conversions.js';

describe('integers', () => {
  it.each([
    [5, 5],
    ['5', 5],
    ['-5', -5],
    ['007', 7],
    ['', undefined],
    [2147483647, 2147483647],
    ['-2147483648', -2147483648],
  ])('takes %p', (raw, value) => {
    expect(toStoredInteger(raw)).toBe(value);
  });

  it.each([
    'x',
    '5.0',
    ' 5',
    '+5',
    '1e3',
    '٣',
    5.5,
    NaN,
    true,
    [5],
    { a: 5 },
    2147483648,
    '9'.repeat(99),
  ])('refuses %p', (raw) => {
    expect(toStoredInteger(raw)).toBe(INVALID);
  });

  it('maps ids out of range to an id that no row has', () => {
    for (const raw of [2147483648, '9223372036854775808', 1e300, '-1', '9'.repeat(400)]) {
      expect(toId(raw)).toBe(UNKNOWN_ID);
    }
    expect(toId('12')).toBe(12);
    expect(toId(0)).toBe(0);
    expect(toId('x')).toBe(INVALID);
  });

  it('clamps integers to the range', () => {
    expect(toClampedInteger('9'.repeat(30))).toBe(2147483647);
    expect(toClampedInteger(-1e20)).toBe(-2147483647);
  });
});

describe('booleans', () => {
  it.each([true, 1, '1', 'true', 'TRUE', 't', 'y', 'yes', 'On'])('takes %p for true', (raw) => {
    expect(toBoolean(raw)).toBe(true);
  });

  it.each([false, 0, '0', 'false', 'False', 'f', 'n', 'no', 'OFF'])('takes %p for false', (raw) => {
    expect(toBoolean(raw)).toBe(false);
  });

  it('treats a blank as absent and refuses the rest', () => {
    expect(toBoolean('')).toBeUndefined();
    for (const raw of ['maybe', 2, '2', [], {}, 'true ']) expect(toBoolean(raw)).toBe(INVALID);
  });
});

describe('strings', () => {
  it('converts numbers and booleans, refuses objects and lists', () => {
    expect(['x', '', 5, true].map(toText)).toEqual(['x', '', '5', 'true']);
    expect([{}, []].map(toText)).toEqual([INVALID, INVALID]);
  });

  it('refuses texts of more than 2,097,152 characters, alone and in lists', () => {
    const longest = 'x'.repeat(2_097_152);
    const longer = `${longest}x`;
    expect(textWhereBlankIs('kept')(longest)).toBe(longest);
    expect(textWhereBlankIs('kept')(longer)).toBe(TOO_LONG);
    expect(textWhereBlankIs('absent')(' '.repeat(2_097_153))).toBe(TOO_LONG);
    for (const raw of [longer, ['a', longer], { 0: longer }]) {
      expect(stringList(/,/)(raw, 'labels')).toBe(TOO_LONG);
    }
    expect(stringList(/,/)(['a', longest], 'labels')).toEqual(['a', longest]);
  });

  it.each([
    ['kept', '  '],
    ['absent', undefined],
    ['refused', EMPTY],
  ] as const)('takes a blank as %s', (meaning, value) => {
    expect(textWhereBlankIs(meaning)('  ')).toBe(value);
    expect(textWhereBlankIs(meaning)(' x ')).toBe(' x ');
  });
});

describe('enumerations', () => {
  const state = oneOf(['opened', 'closed'] as const);
  const level = oneOf([0, 10, 20] as const);

  it('compares exactly', () => {
    expect(state('opened')).toBe('opened');
    for (const raw of ['Opened', '', 'all', 5]) expect(state(raw)).toBe(NOT_A_VALUE);
    expect(state({})).toBe(INVALID);
  });

  it('reads integers as integers', () => {
    expect([level('20'), level(0), level('')]).toEqual([20, 0, undefined]);
    expect(level('15')).toBe(NOT_A_VALUE);
    expect(level('x')).toBe(INVALID);
  });
});

describe('timestamps', () => {
  it.each([
    ['2017-01-09T08:30:00Z', '2017-01-09T08:30:00.000Z'],
    ['2017-01-09T10:30:00.250+02:00', '2017-01-09T08:30:00.250Z'],
    ['2017-01-09T10:30:00 02:00', '2017-01-09T08:30:00.000Z'],
    ['2017-01-09T03:00:00-0530', '2017-01-09T08:30:00.000Z'],
    ['2017-01-09T08:30', '2017-01-09T08:30:00.000Z'],
    ['2017-01-09 08:30:00.123456', '2017-01-09T08:30:00.123Z'],
    ['2017-01-09', '2017-01-09T00:00:00.000Z'],
    ['2016-02-29T23:59:59Z', '2016-02-29T23:59:59.000Z'],
  ])('takes %s', (raw, moment) => {
    expect(toTimestamp(raw)).toEqual(new Date(moment));
  });

  it.each([
    'yesterday',
    '2017-02-29',
    '2017-13-01',
    '2017-01-09T24:00:00Z',
    '2017-01-09T08:60:00Z',
    '2017-01-09T08:30:00+25:00',
    '0000-01-01',
    '0001-01-01T00:00:00+14:00',
    '12017-01-01',
    '10000-01-01T00:00:00Z',
    '+010000-01-01',
    '9999-12-31T23:59:59-01:00',
    '2017-1-9',
    1483950600,
    {},
    [],
  ])('refuses %p', (raw) => {
    expect(toTimestamp(raw)).toBe(INVALID);
    expect(toDate(raw)).toBe(INVALID);
  });

  it('accepts the date of a longer timestamp', () => {
    expect(toDate('2017-01-31')).toBe('2017-01-31');
    expect(toDate('2017-01-31T23:00:00-05:00')).toBe('2017-01-31');
    expect(toDate('')).toBeNull();
    expect(toDate('31.01.2017')).toBe(INVALID);
    expect(toDate('2017-02-30')).toBe(INVALID);
  });
});

describe('lists', () => {
  const integers = (raw: unknown) => integerList(toStoredInteger)(raw, 'ids');
  const strings = (raw: unknown) => stringList(/,/)(raw, 'labels');

  it.each([
    [
      [4, 7],
      [4, 7],
    ],
    [
      ['4', '7'],
      [4, 7],
    ],
    ['4,7', [4, 7]],
    ['4, 7', [4, 7]],
    ['4', [4]],
    [4, [4]],
    [{ 1: '7', 0: '4' }, [4, 7]],
    [[4, null, ''], [4]],
    ['', undefined],
    [[], []],
  ])('takes %p for integers', (raw, value) => {
    expect(integers(raw)).toEqual(value);
  });

  it.each(['4;7', 'x', ['x'], [[4]], [{}], {}, { a: 4 }, true])(
    'refuses %p for integers',
    (raw) => {
      expect(integers(raw)).toBe(INVALID);
    },
  );

  it.each([
    ['bug, ui ,', ['bug', 'ui']],
    ['', []],
    [
      ['a,b', ' c '],
      ['a,b', 'c'],
    ],
    [
      [5, true],
      ['5', 'true'],
    ],
    [5, ['5']],
  ])('takes %p for strings', (raw, value) => {
    expect(strings(raw)).toEqual(value);
  });

  it.each([{}, [{}], [[1]]])('refuses %p for strings', (raw) => {
    expect(strings(raw)).toBe(INVALID);
  });
});
