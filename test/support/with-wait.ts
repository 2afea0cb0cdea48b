/** Changes how long callers of a budget wait for a slot, for as long as the work takes. */
export async function withWait<T>(
  budget: { readonly waitMs: number },
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const { waitMs: usual } = budget;
  Object.assign(budget, { waitMs });
  try {
    return await work();
  } finally {
    Object.assign(budget, { waitMs: usual });
  }
}

/** As long as a busy machine may need. */
export const PATIENT_MS = 60_000;
