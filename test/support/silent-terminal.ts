import type { Terminal } from '../../src/cli/terminal.js';

/** Shows nothing. */
export const SILENT_TERMINAL = {
  print: () => undefined,
  note: () => undefined,
  progress: <T>(_title: string, _total: number, work: (advance: () => void) => Promise<T>) =>
    work(() => undefined),
} as unknown as Terminal;
