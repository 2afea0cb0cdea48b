import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 20;

/** Repeats the assertion until it holds; after 20 s, or as told, its failure is the test's. */
export async function eventually(
  assertion: () => Promise<void> | void,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** A promise to be resolved by hand. */
export function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
