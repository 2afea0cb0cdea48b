import { readFileSync } from 'node:fs';

const RSS = /^RssAnon:\s+(\d+) kB$/m;
const KIB = 1024;
/** Linux counts processor time in hundredths of a second, whatever its kernel's own clock. */
const TICK_MS = 10;
/** The time of a process and of its ended children, in user and kernel mode, as `proc(5)` counts the fields behind the name. */
const TIMES = [11, 12, 13, 14] as const;

/** Returns the bytes of memory that a process uses alone; 0 for one that has ended, and on systems without `/proc`. */
export function memoryOf(pid: number): number {
  return Number(RSS.exec(readProc(pid, 'status'))?.[1] ?? 0) * KIB;
}

/**
 * Returns the processor time that a process and its ended children have used, in milliseconds; 0 for one that has ended,
 * and on systems without `/proc`.
 */
export function processorMsOf(pid: number): number {
  const stat = readProc(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TIMES.reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * TICK_MS;
}

/** Returns the processes below a process, each behind its parent. */
export function descendantsOf(pid: number): number[] {
  const text = readProc(pid, `task/${String(pid)}/children`);
  const children = text.split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Returns an empty text for a process that has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
