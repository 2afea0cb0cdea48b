import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageBudget } from '../../../src/modules/git-access/ssh/message-budget.js';
import { ParsingTurns } from '../../../src/modules/git-access/ssh/parsing-turns.js';

const LIMITS = {
  messagesBeforeSignIn: 10,
  messagesAtOnce: 100,
  messagesPerSecond: 50,
  bytesPerMessage: 256,
};

describe('the budget of the messages of an SSH connection', () => {
  let now: number;
  let budget: MessageBudget;

  beforeEach(() => {
    now = 1_000;
    budget = new MessageBudget(LIMITS, () => now);
  });

  it('limits the messages before authentication, in total', () => {
    expect(budget.allowsBeforeSignIn(10)).toBe(true);
    now += 3_600_000;
    expect(budget.allowsBeforeSignIn(1)).toBe(false);
  });

  it('allows a burst of messages, and asks for a pause in proportion to the excess', () => {
    expect(budget.pauseAfter(100, 0)).toBe(0);
    expect(budget.pauseAfter(5, 0)).toBe(100);
    expect(budget.pauseAfter(5, 0)).toBe(200);
  });

  it('refills with time, up to the limit', () => {
    budget.pauseAfter(100, 0);
    now += 1_000;
    expect(budget.pauseAfter(50, 0)).toBe(0);
    expect(budget.pauseAfter(50, 0)).toBe(1_000);
    now += 3_600_000;
    expect(budget.pauseAfter(100, 0)).toBe(0);
    expect(budget.pauseAfter(1, 0)).toBe(20);
  });

  it('refills with bytes', () => {
    budget.pauseAfter(100, 0);
    for (let index = 0; index < 1_000; index += 1) {
      expect(budget.pauseAfter(10, 10 * LIMITS.bytesPerMessage)).toBe(0);
    }
    expect(budget.pauseAfter(1, 0)).toBe(20);
  });
});

describe('the turns of SSH connections', () => {
  let now: number;
  let order: string;
  let turns: ParsingTurns;

  beforeEach(() => {
    now = 0;
    order = '';
    turns = new ParsingTurns(() => now);
  });

  /** @param stepMs how long a step takes */
  const parser = (name: string, steps: number, stepMs = 1) => {
    let taken = 0;
    return {
      parseStep: () => {
        order += name;
        now += stepMs;
        taken += 1;
        return taken < steps;
      },
    };
  };

  it('parse at once within the time limit', async () => {
    for (const name of ['a', 'b']) turns.parse(parser(name, 2));
    expect(order).toBe('aabb');
    await nextTurn();
    turns.parse(parser('c', 1));
    expect(order).toBe('aabbc');
  });

  it('run steps one connection after the other, for four milliseconds of a turn of the loop', async () => {
    turns.parse(parser('a', 7));
    expect(order).toBe('aaaa');
    for (const name of ['b', 'c']) turns.parse(parser(name, 2));
    expect(order).toBe('aaaa');
    await nextTurn();
    expect(order).toBe('aaaa' + 'abca');
    await nextTurn();
    expect(order).toBe('aaaa' + 'abca' + 'bca');
  });

  it('run one long step in a turn', async () => {
    for (const name of ['a', 'b', 'c']) turns.parse(parser(name, 1, 25));
    expect(order).toBe('a');
    await nextTurn();
    expect(order).toBe('ab');
    await nextTurn();
    expect(order).toBe('abc');
  });

  it('run no step of a removed connection', async () => {
    const removed = parser('a', 9);
    turns.parse(removed);
    turns.parse(parser('b', 5));
    turns.delete(removed);
    await nextTurn();
    await nextTurn();
    expect(order).toBe('aaaa' + 'bbbbb');
  });
});
