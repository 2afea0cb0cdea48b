import { RepeatedEvents } from '../../../src/modules/audit/recording/repeated-events.js';

const MINUTE = 60_000;

describe('Equal events', () => {
  const failure = { action: 'session.failed' } as const;
  const other = { action: 'session.created' } as const;

  it('are due at once, and then together each minute', () => {
    const events = new RepeatedEvents(10);
    events.count('one', failure);
    events.count('one', failure);
    events.count('two', other);
    expect(events.take(0)).toEqual([
      { key: 'one', record: failure, count: 2 },
      { key: 'two', record: other, count: 1 },
    ]);
    events.count('one', failure);
    expect(events.take(1_000)).toEqual([]);
    events.count('one', failure);
    expect(events.take(MINUTE - 1)).toEqual([]);
    expect(events.take(MINUTE)).toEqual([{ key: 'one', record: failure, count: 2 }]);
    events.count('one', failure);
    expect(events.take(MINUTE + 1)).toEqual([]);
    expect(events.take(2 * MINUTE)).toEqual([{ key: 'one', record: failure, count: 1 }]);
  });

  it('are forgotten after a minute without one', () => {
    const events = new RepeatedEvents(10);
    events.remember('one', other, 0);
    events.take(MINUTE - 1);
    expect(events.has('one')).toBe(true);
    expect(events.take(MINUTE)).toEqual([]);
    expect(events.has('one')).toBe(false);
  });

  it('that are not written yet are not lost at the end', () => {
    const events = new RepeatedEvents(10);
    events.remember('one', other, 0);
    events.count('one', other);
    expect(events.take(1)).toEqual([]);
    expect(events.take(1, true)).toEqual([{ key: 'one', record: other, count: 1 }]);
    expect(events.take(1, true)).toEqual([]);
  });

  it('that are counted before the first one is remembered are not lost', () => {
    const events = new RepeatedEvents(10);
    events.remember('one', other, 0);
    events.count('one', other);
    events.remember('one', other, 1);
    expect(events.take(MINUTE)).toEqual([{ key: 'one', record: other, count: 1 }]);
  });

  it('that could not be written are due at once, with those that came meanwhile', () => {
    const events = new RepeatedEvents(10);
    events.count('one', failure);
    const taken = events.take(0);
    events.count('one', other);
    events.giveBack(taken);
    expect(events.take(1)).toEqual([{ key: 'one', record: other, count: 2 }]);
  });

  it('are remembered up to a limit', () => {
    const events = new RepeatedEvents(2);
    events.remember('one', other, 0);
    expect(events.isFull).toBe(false);
    events.count('two', other);
    expect(events.isFull).toBe(true);
    events.remember('three', other, 0);
    expect(events.has('three')).toBe(false);
  });
});
