import { setTimeout as delay } from 'node:timers/promises';
import { runPaced } from '../../../src/platform/async/index.js';

/** Keeps the event loop busy. */
function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('runPaced', () => {
  it('returns results and throws errors of steps, in order', async () => {
    const order: string[] = [];
    const steps = ['a', 'b', 'c'].map((name) =>
      runPaced(() => {
        order.push(name);
        if (name === 'b') throw new Error('b failed');
        return name;
      }),
    );
    const results = await Promise.allSettled(steps);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[0]).toMatchObject({ value: 'a' });
    expect(results[1]).toMatchObject({ reason: new Error('b failed') });
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('rests between the steps of different callers for as long as each took', async () => {
    const bounds: [begin: number, end: number][] = [];
    const step = (): void => {
      const begin = performance.now();
      spin(30);
      bounds.push([begin, performance.now()]);
    };
    await Promise.all([runPaced(step), runPaced(step), runPaced(step)]);
    const rests = bounds.slice(1).map(([begin], index) => begin - (bounds[index]?.[1] ?? 0));
    expect(rests).toHaveLength(2);
    // Timers count whole milliseconds.
    for (const rest of rests) expect(rest).toBeGreaterThanOrEqual(29);
  });

  it('lets other work go on between steps', async () => {
    let turns = 0;
    const others = (async () => {
      for (;;) {
        await delay(1);
        turns += 1;
        if (turns === 10) return;
      }
    })();
    const steps = Array.from({ length: 5 }, () => runPaced(() => spin(20)));
    await Promise.race([others, Promise.all(steps)]);
    expect(turns).toBe(10);
    await Promise.all([others, ...steps]);
  });
});
