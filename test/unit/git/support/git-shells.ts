import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { countGitOf, measured } from '../../../support/profile/measured.js';

export interface CommandResult {
  /** Of the process; 128 and the number of the signal where one has ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  cwd?: string;
  input?: string | Buffer;
  /** On top of that of the shells. */
  environment?: Record<string, string>;
}

/**
 * Runs git processes, each by a shell that is kept for further ones. Node would fork itself for each, which copies the
 * tables of all its memory and takes longer than most of them (docs/decisions/0040-where-test-time-goes.md).
 */
export class GitShells {
  private readonly idle: GitShell[] = [];
  private readonly all: GitShell[] = [];

  constructor(private readonly environment: Record<string, string>) {}

  async run(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
    const shell = this.idle.pop() ?? this.open();
    const result = await measured('git', () => shell.run(args, options));
    this.idle.push(shell);
    return result;
  }

  /** Ends the shells; no command may be running. */
  async close(): Promise<void> {
    this.idle.length = 0;
    await Promise.all(this.all.splice(0).map((shell) => shell.close()));
  }

  private open(): GitShell {
    const shell = new GitShell(this.environment);
    this.all.push(shell);
    return shell;
  }
}

class GitShell {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'trellis-shell-'));
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly ended = new AbortController();

  constructor(environment: Record<string, string>) {
    this.child = spawn('sh', [], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout.setEncoding('utf8');
    this.child.once('close', () => this.ended.abort(new Error('The shell has ended.')));
  }

  async run(
    args: readonly string[],
    { cwd = process.cwd(), input, environment = {} }: CommandOptions,
  ): Promise<CommandResult> {
    const [source, stdout, stderr] = [this.file('in'), this.file('out'), this.file('err')];
    if (input !== undefined) writeFileSync(source, input);
    const stdin = input === undefined ? '/dev/null' : source;
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${quote(value)}`);
    const exported = variables.length === 0 ? '' : `export ${variables.join(' ')} && `;
    const git = ['git', ...args.map(quote)].join(' ');
    const streams = `<${quote(stdin)} >${quote(stdout)} 2>${quote(stderr)}`;
    this.child.stdin.write(`(cd ${quote(cwd)} && ${exported}exec ${git}) ${streams}; echo $?\n`);
    const { signal } = this.ended;
    const [code] = (await once(this.child.stdout, 'data', { signal })) as [string];
    countGitOf(this.child.pid ?? 0);
    const read = (file: string) => readFileSync(file, 'utf8');
    return { code: Number(code), stdout: read(stdout), stderr: read(stderr) };
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'close');
    this.child.stdin.end();
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private file(name: string): string {
    return path.join(this.folder, name);
  }
}

/** A word of the shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
