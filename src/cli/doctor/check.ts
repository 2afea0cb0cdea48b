import { reasonOf } from '../probes/time-limit.js';

/** `problem`: the service fails or loses something; `warning`: it may. */
type CheckState = 'ok' | 'warning' | 'problem';

/** What one check has found. */
export interface Check {
  /** Stable, for scripts. */
  readonly name: string;
  readonly state: CheckState;
  readonly detail: string;
  /** What to do about it; absent where nothing has to be done. */
  readonly advice?: string;
}

export const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });

export const warning = (name: string, detail: string, advice: string): Check => ({
  ...{ name, state: 'warning', detail, advice },
});

export const problem = (name: string, detail: string, advice: string): Check => ({
  ...{ name, state: 'problem', detail, advice },
});

/** Carries out a check; its failure is the problem that it finds. */
export async function attempt(
  name: string,
  advice: string,
  check: () => Promise<Check>,
): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    return problem(name, reasonOf(error), advice);
  }
}
