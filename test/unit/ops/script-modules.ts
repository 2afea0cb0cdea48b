import { execFile, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const ROOT = resolve(__dirname, '../../..');

export interface Outcome {
  code: number | string | null;
  said: string;
}

export function runNode(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((settle) => {
    const options = { cwd: ROOT, env: { ...process.env, ...env } };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      settle({ code: error?.code ?? 0, said: stdout + stderr });
    });
  });
}

/**
 * The value of an expression on a `module` of ours: Jest cannot load .mjs files.
 * @param env evaluates in a process of its own that has these variables as well; otherwise all share one
 */
export async function evaluate(
  file: string,
  expression: string,
  env?: Record<string, string>,
): Promise<unknown> {
  if (env === undefined) {
    evaluator ??= new Evaluator();
    return evaluator.evaluate(file, expression);
  }
  const script = `import * as module from './${file}';
    console.log(JSON.stringify(await (${expression})));`;
  const { code, said } = await runNode(['--input-type=module', '--eval', script], env);
  if (code !== 0) throw new Error(said);
  return JSON.parse(said);
}

/** Answers each line with one, in their order. */
const SCRIPT = `
  import { createInterface } from 'node:readline';
  const AsyncFunction = (async () => undefined).constructor;
  for await (const line of createInterface({ input: process.stdin })) {
    const { file, expression } = JSON.parse(line);
    const answer = await import(file)
      .then(async (module) => ({
        value: await new AsyncFunction('module', 'return (' + expression + ')')(module),
      }))
      .catch((error) => ({ error: String(error.stack) }));
    console.log(JSON.stringify(answer));
  }`;

/** A process that evaluates one expression after another. */
class Evaluator {
  private readonly child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  private readonly answers = on(createInterface({ input: this.child.stdout }), 'line');
  private last: Promise<unknown> = Promise.resolve();

  evaluate(file: string, expression: string): Promise<unknown> {
    this.child.stdin.write(`${JSON.stringify({ file: resolve(ROOT, file), expression })}\n`);
    const answered = this.last.then(() => this.readAnswer());
    this.last = answered.catch(() => undefined);
    return answered;
  }

  async end(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.stdin.end();
    await exited;
  }

  private async readAnswer(): Promise<unknown> {
    const { value: lines } = (await this.answers.next()) as { value: [string] };
    const { value, error } = JSON.parse(lines[0]) as { value?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return value;
  }
}

let evaluator: Evaluator | undefined;

// This module is loaded outside of all suites, so that the hook runs once, after the last suite of the Jest file.
afterAll(() => evaluator?.end());
