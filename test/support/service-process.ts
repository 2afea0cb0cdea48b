import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { measured } from './profile/measured.js';

const MAIN = path.resolve('dist', 'src', 'main.js');

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Where a process runs. */
export interface Surroundings {
  program?: string;
  cwd?: string;
  /** The words of a command that runs it, such as `nsenter` with its options. */
  within?: readonly string[];
}

/** The service as built, in a process of its own, with nothing of this environment but the PATH. */
export class ServiceProcess {
  readonly ended: Promise<Ending>;
  private text = '';
  private hasEnded = false;
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => {
        this.text += part;
        this.wake();
      });
    }
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.hasEnded = true;
        this.wake();
        resolve({ code, signal });
      });
    });
  }

  /**
   * Starts the service in a role.
   * @param env environment variables; a free port unless given
   */
  static start(
    role: string,
    env: Record<string, string>,
    surroundings: Surroundings = {},
  ): ServiceProcess {
    return ServiceProcess.run(['start', role], env, surroundings);
  }

  /**
   * Starts the service in a role as on another machine: it has a host name and process IDs of its own, and all its
   * processes end with it. Needs `unshare`.
   */
  static startElsewhere(role: string, env: Record<string, string>): ServiceProcess {
    const isRoot = process.getuid?.() === 0;
    return ServiceProcess.spawn(
      'unshare',
      [
        ...(isRoot ? [] : ['--user', '--map-root-user']),
        ...['--uts', '--pid', '--mount-proc', '--fork', '--kill-child'],
        ...['sh', '-c', 'hostname elsewhere; exec "$@"', 'sh'],
        ...[process.execPath, MAIN, 'start', role],
      ],
      { cwd: process.cwd(), env },
    );
  }

  /**
   * Runs a command of the command line.
   * @param surroundings the program and the working directory, if they are not this clone's
   */
  static run(
    args: readonly string[],
    env: Record<string, string>,
    { program = MAIN, cwd = process.cwd(), within = [] }: Surroundings = {},
  ): ServiceProcess {
    const [command, ...words] = [...within, process.execPath, program, ...args];
    return ServiceProcess.spawn(command ?? process.execPath, words, { cwd, env });
  }

  private static spawn(
    command: string,
    args: readonly string[],
    { cwd, env }: { cwd: string; env: Record<string, string> },
  ): ServiceProcess {
    const base = { PATH: process.env['PATH'], PORT: '0', SSH_PORT: 'off' };
    const child = spawn(command, args, {
      cwd,
      env: { ...base, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child);
  }

  get pid(): number {
    // Without one, a signal would go to the group of the test itself.
    if (this.child.pid === undefined) throw new Error('The process could not be started');
    return this.child.pid;
  }

  /** The process ID, as it is here, of a service that was started elsewhere. */
  get pidElsewhere(): number {
    const file = `/proc/${String(this.pid)}/task/${String(this.pid)}/children`;
    return Number(readFileSync(file, 'utf8'));
  }

  /** Everything it has written. */
  get output(): string {
    return this.text;
  }

  /** Resolves when it has written what matches; rejects when it ends without. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text);
      if (found !== null) return found;
      if (this.hasEnded)
        throw new Error(`It ended and never said ${String(pattern)}:\n${this.text}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Its address, once it serves. */
  url(): Promise<string> {
    return measured('starting', async () => {
      const [, port = ''] = await this.says(/serve[sd] at http:\/\/localhost:(\d+)/);
      return `http://127.0.0.1:${port}`;
    });
  }

  async kill(signal: NodeJS.Signals): Promise<Ending> {
    if (!this.hasEnded) this.child.kill(signal);
    return this.ended;
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
