import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

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

/** The value of an expression on a `module` of ours, in a process of its own: Jest cannot load .mjs files. */
export async function evaluate(
  file: string,
  expression: string,
  env?: Record<string, string>,
): Promise<unknown> {
  const script = `import * as module from './${file}';
    console.log(JSON.stringify(await (${expression})));`;
  const { code, said } = await runNode(['--input-type=module', '--eval', script], env);
  if (code !== 0) throw new Error(said);
  return JSON.parse(said);
}
