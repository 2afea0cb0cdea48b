import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.js';

interface BoundFolderOptions {
  /** The folder that is shown; by default a new one, which is removed with the mount. */
  source?: string;
  /** For how long the kernel uses names and metadata without asking again. */
  cacheSeconds?: number;
}

/**
 * A folder that is shown by a file system of a process, bindfs. While the process is stopped, whatever asks for files below
 * hangs. Two of one source see each other's changes late, as two machines do.
 */
export class BoundFolder {
  private readonly ended: Promise<unknown>;

  private constructor(
    readonly folder: string,
    readonly source: string,
    private readonly base: string,
    private readonly server: ChildProcess,
  ) {
    this.ended = new Promise((resolve) => server.once('close', resolve));
  }

  static async mount(options: BoundFolderOptions = {}): Promise<BoundFolder> {
    const base = await mkdtemp(path.join(tmpdir(), 'trellis-bound-'));
    const { source = path.join(base, 'source'), cacheSeconds = 0 } = options;
    const folder = path.join(base, 'mounted');
    await mkdir(source, { recursive: true });
    await mkdir(folder);
    const timeouts = ['entry', 'attr'].map((kind) => `${kind}_timeout=${String(cacheSeconds)}`);
    const args = ['-f', '-o', timeouts.join(','), source, folder];
    const server = spawn('bindfs', args, { stdio: 'ignore' });
    const { dev } = await stat(base);
    await until(async () => {
      if (server.exitCode !== null) throw new Error('bindfs cannot mount here');
      return (await stat(folder)).dev !== dev;
    });
    return new BoundFolder(folder, source, base, server);
  }

  stop(): void {
    this.server.kill('SIGSTOP');
  }

  resume(): void {
    this.server.kill('SIGCONT');
  }

  /** Kills the process: from then on whatever asks for files below fails. */
  async crash(): Promise<void> {
    this.server.kill('SIGKILL');
    await this.ended;
  }

  async unmount(): Promise<void> {
    this.resume();
    await promisify(execFile)('fusermount', ['-u', this.folder]);
    await this.ended;
    await rm(this.base, { recursive: true });
  }
}
