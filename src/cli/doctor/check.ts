import { isAccessDenied } from '../probes/folder.js';
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
  name,
  state: 'warning',
  detail,
  advice,
});

export const problem = (name: string, detail: string, advice: string): Check => ({
  name,
  state: 'problem',
  detail,
  advice,
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
    return problem(name, reasonOf(error), adviceOf(error) ?? advice);
  }
}

/** Advises what to do about what a file system refuses, whatever was tried there. */
function adviceOf(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'free some room, or raise the quota';
  if (code === 'EROFS') return 'mount the file system writable';
  // A program may not be started on a file system that is mounted noexec, either.
  const isFile = path !== undefined && syscall?.startsWith('spawn') !== true;
  return isFile && isAccessDenied(error) ? adviceToOwn(path) : undefined;
}

/** Advises how the account of this process gets at files. */
export const adviceToOwn = (path: string): string =>
  `let the service's account own and read them: chown -R ${process.getuid?.() ?? 'ACCOUNT'} ${path} && chmod -R u+rwX ${path}`;
