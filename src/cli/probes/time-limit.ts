/** How long anything that is asked may take to answer, so that no command hangs on an unreachable host. */
export const PROBE_LIMIT_MS = 5_000;

/**
 * Waits for an answer, but not for ever. What was asked goes on after the limit.
 * @throws Error after the limit
 */
export async function withinLimit<T>(answer: Promise<T>, limitMs = PROBE_LIMIT_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = String(limitMs / 1_000);
    timer = setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Formats an error in one line; a connection that every address of a host has refused has no text of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  const { message } = error as Partial<Error>;
  return (message ?? String(error)).split('\n', 1)[0] ?? '';
}
