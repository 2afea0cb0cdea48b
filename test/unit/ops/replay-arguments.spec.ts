import { toReplayRange } from '../../../src/cli/commands/replay.js';

const NOW = new Date('2026-11-22T10:00:00Z');

describe('The options of a replay', () => {
  it('are a time and an end, which is now unless given', () => {
    expect(toReplayRange({ from: '2026-11-21T10:00:00Z' }, NOW)).toEqual({
      from: new Date('2026-11-21T10:00:00Z'),
      to: NOW,
      states: ['failed', 'pending'],
      hookId: undefined,
    });
    const range = { from: '2026-11-20', to: '2026-11-21T10:00+02:00' };
    expect(toReplayRange(range, NOW)).toMatchObject({
      from: new Date('2026-11-20T00:00:00Z'),
      to: new Date('2026-11-21T08:00:00Z'),
    });
  });

  it('may be a hook, and successful deliveries', () => {
    const options = { from: '2026-11-20', hook: '7', delivered: true };
    expect(toReplayRange(options, NOW)).toMatchObject({
      states: ['failed', 'pending', 'delivered'],
      hookId: 7,
    });
  });

  it.each([
    [{ from: 'yesterday' }, '--from takes a time such as'],
    [{ from: '2026-11-20T10:00' }, '--from takes a time such as'],
    [{ from: '2026-13-20' }, '--from takes a time such as'],
    [{ from: '2026-11-20', to: 'x' }, '--to takes a time such as'],
    [{ from: '2026-11-20', to: '2026-11-20' }, '--from has to be before --to'],
    [{ from: '2030-01-01' }, '--from has to be before --to'],
    [{ from: '2026-11-20', hook: '0' }, '--hook takes an id'],
    [{ from: '2026-11-20', hook: '99999999999' }, '--hook takes an id'],
  ])('are refused: %j', (options, problem) => {
    expect(() => toReplayRange(options, NOW)).toThrow(problem);
  });
});
