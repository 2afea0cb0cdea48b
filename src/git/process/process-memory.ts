import { readFileSync } from 'node:fs';

const RSS = /^RssAnon:\s+(\d+) kB$/m;
const KIB = 1024;

/** Returns the bytes of memory that a process uses alone; 0 for one that has ended, and on systems without `/proc`. */
export function memoryOf(pid: number): number {
  return Number(RSS.exec(readProc(pid, 'status'))?.[1] ?? 0) * KIB;
}

/** Returns the processes below a process. */
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
