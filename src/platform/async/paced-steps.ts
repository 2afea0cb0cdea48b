import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Shorter steps let waiting work go first once, without the least time that a timer takes. */
const SHORT_STEP_MS = 2;

let rested: Promise<unknown> = Promise.resolve();

/**
 * Runs a synchronous step of a long computation. The steps of the process run one at a time, and after each
 * the event loop is free for other work for as long as the step took: they get half of its time together,
 * however many requests have such work.
 * @throws what the step throws
 */
export function runPaced<T>(step: () => T): Promise<T> {
  let begun = 0;
  const result = rested.then(() => {
    begun = performance.now();
    return step();
  });
  const rest = (): Promise<void> => {
    const took = performance.now() - begun;
    return took < SHORT_STEP_MS ? nextTurn() : delay(took);
  };
  rested = result.then(rest, rest);
  return result;
}
