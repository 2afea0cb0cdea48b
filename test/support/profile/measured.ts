/** The meter of `meter.mjs`, where the environment of a profiled run has left it. */
interface Meter {
  begin: (activity: Activity) => () => void;
  /** Counts the processor time of a database's connections for this suite. */
  nameDatabase: (name: string) => void;
  /** Counts a git process that a shell has run and waited for. */
  countGitOf: (shell: number) => void;
}

type Activity = 'databases' | 'starting' | 'stopping' | 'git';

const meter = (): Meter | undefined => (globalThis as { testMeter?: Meter }).testMeter;

/** Does some work, whose time counts as that activity when tests are profiled. */
export async function measured<T>(activity: Activity, work: () => Promise<T>): Promise<T> {
  const end = meter()?.begin(activity);
  try {
    return await work();
  } finally {
    end?.();
  }
}

export function nameDatabase(name: string): void {
  meter()?.nameDatabase(name);
}

export function countGitOf(shell: number): void {
  meter()?.countGitOf(shell);
}
