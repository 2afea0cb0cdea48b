import { readFileSync } from 'node:fs';
import { descendantsOf } from '../../src/git/process/process-memory.js';

/** The command lines of the processes below this one, as those of git. */
export function childCommands(): string[] {
  return descendantsOf(process.pid).map(commandLineOf);
}

/** An empty text for a process that has ended. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
      .split('\0')
      .join(' ');
  } catch {
    return '';
  }
}
