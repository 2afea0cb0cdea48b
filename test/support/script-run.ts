import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** A script of this repository in a process of its own. */
export class ScriptRun {
  private readonly child: ChildProcess;
  private readonly closed: Promise<[number | null]>;
  /** Resolves when it has ended: with its exit code and all that it has written. */
  readonly ended: Promise<{ code: number | null; said: string }>;

  constructor(script: string, args: readonly string[]) {
    const child = spawn(process.execPath, [path.resolve(script), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.closed = once(child, 'close') as Promise<[number | null]>;
    const parts = Promise.all([text(child.stdout), text(child.stderr)]);
    this.ended = this.closed.then(async ([code]) => ({ code, said: (await parts).join('') }));
  }

  /** Asks it to end, where it still runs: it ends what it has started and removes its folder first. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await this.closed;
  }
}
