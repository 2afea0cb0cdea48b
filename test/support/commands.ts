import { createProgram } from '../../src/cli/command-line.js';
import { explanationOf } from '../../src/cli/explained-errors.js';
import { ExitCode } from '../../src/cli/conclude.js';

export interface CommandEnd {
  code: number;
  /** What it printed on standard output. */
  output: string;
  /** The explanation of its failure. */
  failure?: string;
}

/** Runs a command of `trellis` in this process, which takes less time than one of its own. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<CommandEnd> {
  const before = { ...process.env };
  const parts: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((part) => {
    parts.push(String(part));
    return true;
  });
  const notes = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    Object.assign(process.env, env);
    await createProgram().parseAsync(args, { from: 'user' });
    return { code: Number(process.exitCode ?? 0), output: parts.join('') };
  } catch (error) {
    const failure = explanationOf(error);
    if (failure === undefined) throw error;
    return { code: ExitCode.Failed, output: parts.join(''), failure };
  } finally {
    write.mockRestore();
    notes.mockRestore();
    process.exitCode = undefined;
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
}

/** Runs one and parses its JSON. */
export async function runJson<Answer>(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Answer> {
  return JSON.parse((await runCommand([...args, '--json'], env)).output) as Answer;
}
