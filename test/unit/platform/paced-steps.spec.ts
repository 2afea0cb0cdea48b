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
    const others = setInterval(() => (turns += 1), 1);
    const seen: number[] = [];
    const step = (): void => {
      seen.push(turns);
      spin(20);
    };
    await Promise.all(Array.from({ length: 5 }, () => runPaced(step)));
    clearInterval(others);
    const between = seen.slice(1).map((count, index) => count - (seen[index] ?? 0));
    expect(between).toHaveLength(4);
    expect(Math.min(...between)).toBeGreaterThan(0);
  });
});
