import { once } from 'node:events';
import type { Advance } from '../backup/index.js';

/** How long a task lasts before its progress is shown. */
const QUICK_MS = 2_000;

/** Where a command prints: its result to standard output, everything else to standard error. */
export class Terminal {
  /** Prints the result, or a part of it. */
  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** Prints lines as they come, no faster than they are read. Ends early when the reader has enough, as `head` has. */
  async printLines(lines: AsyncIterable<string>): Promise<void> {
    const { stdout } = process;
    const failures: NodeJS.ErrnoException[] = [];
    const noteFailure = (error: NodeJS.ErrnoException): void => {
      failures.push(error);
    };
    stdout.on('error', noteFailure);
    for await (const line of lines) {
      if (failures.length > 0) break;
      if (!stdout.write(`${line}\n`)) await once(stdout, 'drain').catch(noteFailure);
    }
    const failure = failures.find(({ code }) => code !== 'EPIPE');
    if (failure !== undefined) throw failure;
  }

  /** Prints what is not the result. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /**
   * Carries out a task, with a progress bar if it lasts longer than two seconds; without a terminal, as in a log, with one
   * line at its beginning instead.
   * @param total of whatever `advance` counts
   */
  async progress<T>(
    title: string,
    total: number,
    work: (advance: Advance) => Promise<T>,
  ): Promise<T> {
    if (!process.stderr.isTTY) {
      this.note(title);
      return work(() => undefined);
    }
    const { SingleBar } = await import('cli-progress');
    const bar = new SingleBar({
      format: `${title} {bar} {percentage} % | {value} of {total} | {eta_formatted} left`,
      hideCursor: true,
      clearOnComplete: true,
    });
    let done = 0;
    const timer = setTimeout(() => bar.start(total, done), QUICK_MS);
    try {
      return await work((count = 1) => {
        done += count;
        if (bar.isActive) bar.update(done);
      });
    } finally {
      clearTimeout(timer);
      bar.stop();
    }
  }
}
