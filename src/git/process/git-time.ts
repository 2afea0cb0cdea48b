import type { ChildProcess } from 'node:child_process';
import { killProcess } from './launcher.js';
import { descendantsOf, processorMsOf } from './process-memory.js';
import { MIB } from '../model/bytes.js';

const WATCH_MS = 250;
/** git hashes, checks and walks each object. This many milliseconds for each MiB of the pack are not counted. */
const DUE_MS_PER_MIB = 4_000;

interface TimedGit {
  /** The `receive-pack` of a push, or the `clone` of an import. */
  child: ChildProcess;
  /** Returns the bytes that have arrived. */
  received: () => number;
  /** Called once, before processes are stopped. */
  onExceeded: () => void;
}

/**
 * Limits the processor time that git uses to unpack and check a push or import. A pack of a few megabytes can contain
 * differences that make thousands of large folders, each of which git hashes and reads. Stops the child processes of
 * git, and those that it starts afterwards. Has no effect on systems without `/proc`.
 * @param limitMs processor time beyond that which is expected for the size of the pack
 * @returns the function that ends the watch
 */
export function limitProcessorTime(
  limitMs: number,
  { child: { pid }, received, onExceeded }: TimedGit,
): () => void {
  let isExceeded = false;
  const check = (): void => {
    if (pid === undefined) return;
    // A parent is read before its children, so that the time of one that ends meanwhile is not counted twice.
    const children = descendantsOf(pid);
    if (!isExceeded) {
      const usedMs = [pid, ...children].reduce((sum, each) => sum + processorMsOf(each), 0);
      if (usedMs <= limitMs + (received() / MIB) * DUE_MS_PER_MIB) return;
      isExceeded = true;
      onExceeded();
    }
    for (const each of children) killProcess(each);
  };
  const timer = setInterval(check, WATCH_MS).unref();
  return () => clearInterval(timer);
}
