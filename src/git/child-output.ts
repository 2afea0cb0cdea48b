import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { GitProcessError } from './errors.js';
import { exitOf, killGroup, stderrTail } from './launcher.js';

/**
 * What a process writes, as a stream that ends well only when the process does. Destroying it ends the
 * process.
 * @throws GitProcessError in the stream
 */
export function outputOf(child: ChildProcess, command: string): Readable {
  const tail = stderrTail(child.stderr);
  const ended = exitOf(child);
  // Looked at behind the output, which a process that did not start has none of.
  ended.catch(() => undefined);
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* child.stdout as AsyncIterable<Buffer>;
    const code = await ended;
    if (code !== 0) throw new GitProcessError(command, code, tail());
  }
  const output = Readable.from(chunks(), { objectMode: false });
  output.once('close', () => killGroup(child, 'SIGKILL'));
  return output;
}
