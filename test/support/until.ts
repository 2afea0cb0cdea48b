import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until there is an answer; the test's own time limit ends it. */
export async function until<T>(ask: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    await delay(50);
  }
}
