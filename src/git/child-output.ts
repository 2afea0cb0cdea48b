import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { IdleLimit } from './client-streams.js';
import { GitProcessError, GitTimeoutError } from './errors.js';
import { exitOf, killGroup, stderrTail } from './launcher.js';

/**
 * What a process writes, as a stream that ends well only when the process does. Destroying it ends the
 * process, and so does nobody's reading for a while.
 * @throws GitProcessError in the stream
 */
export function outputOf(child: ChildProcess, command: string, idleMs: number): Readable {
  const tail = stderrTail(child.stderr);
  const ended = exitOf(child);
  // Looked at behind the output, which a process that did not start has none of.
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
