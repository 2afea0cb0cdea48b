/** A promise with its own two ends, for what is answered from another place than it is asked. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (reason: unknown) => void;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/**
 * Resolves or rejects as `work` does, but not later than `graceMs` after the signal was aborted:
 * then it rejects with the signal's reason. So it does when the aborted work fails, whatever with.
 */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abandon: (() => void) | undefined;
  const abandoned = new Promise<never>((_, reject) => {
    abandon = () => {
      timer = setTimeout(() => reject(reasonOf(signal)), graceMs).unref();
    };
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
  });
  try {
    return await Promise.race([work, abandoned]);
  } catch (error) {
    throw signal.aborted ? reasonOf(signal) : error;
  } finally {
    clearTimeout(timer);
    if (abandon !== undefined) signal.removeEventListener('abort', abandon);
  }
}

/** Whether `work` resolves within `ms`; it goes on if it does not. */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return settled;
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}
