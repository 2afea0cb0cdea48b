import { LRUCache } from 'lru-cache';
import { GitProcessError, GitTimeoutError } from '../model/errors.js';
import { SharedState, type GitRuntime } from './runtime.js';

/** Comparisons that took too long are not tried again before. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

/** The comparisons that took too long. */
const TIMED_OUT = new SharedState(
  () => new LRUCache<string, GitTimeoutError>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS }),
);

/**
 * Compares contents with detection of renames, or without it if that takes git too much time or memory. What took too long is
 * not tried again for ten minutes.
 * @param key names what is compared
 * @throws GitTimeoutError, GitProcessError of the comparison without renames
 */
export async function preferRenames<T>(
  runtime: GitRuntime,
  key: string,
  compare: (renames: boolean) => Promise<T>,
): Promise<T> {
  const timedOut = runtime.shared(TIMED_OUT);
  const attempt = async (renames: boolean): Promise<T> => {
    const name = `${String(renames)}\0${key}`;
    const known = timedOut.get(name);
    if (known !== undefined) throw known;
    try {
      return await compare(renames);
    } catch (error) {
      if (error instanceof GitTimeoutError) timedOut.set(name, error);
      throw error;
    }
  };
  try {
    return await attempt(true);
  } catch (error) {
    if (!isExhausted(error) && !(error instanceof GitTimeoutError)) throw error;
  }
  return attempt(false);
}

/** Whether git ran out of memory. */
export function isExhausted(error: unknown): boolean {
  return error instanceof GitProcessError && error.isExhausted;
}
