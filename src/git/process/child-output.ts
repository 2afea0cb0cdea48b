import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { GitProcessError, GitTimeoutError } from '../model/errors.js';
import { exitOf, killGroup, stderrTail } from './launcher.js';

/**
 * Returns the output of a process as a stream, which fails when the process fails. The process is killed when
 * the stream is destroyed, or not read for `idleMs`.
 * @throws GitProcessError in the stream
 */
export function outputOf(child: ChildProcess, command: string, idleMs: number): Readable {
  const tail = stderrTail(child.stderr);
  const ended = exitOf(child);
  // Awaited after the output; a process that did not start has none.
  ended.catch(() => undefined);
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      yield chunk;
      idle.touch();
    }
    const code = await ended;
    if (code !== 0) throw new GitProcessError(command, code, tail());
  }
  const output = Readable.from(chunks(), { objectMode: false });
  const idle = new IdleLimit(idleMs, () => output.destroy(new GitTimeoutError(command, idleMs)));
  output.once('close', () => {
    idle.stop();
    killGroup(child, 'SIGKILL');
  });
  return output;
}

/** Calls back once when `touch` has not been called for some time. */
export class IdleLimit {
  private readonly timer: NodeJS.Timeout;

  constructor(limitMs: number, onIdle: () => void) {
    this.timer = setTimeout(onIdle, limitMs).unref();
  }

  readonly touch = (): void => {
    this.timer.refresh();
  };

  stop(): void {
    clearTimeout(this.timer);
  }
}
