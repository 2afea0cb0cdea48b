import { CommanderError } from 'commander';
import { createProgram, reportError } from '../../src/cli/command-line.js';
import { explanationOf } from '../../src/cli/explained-errors.js';
import { Terminal } from '../../src/cli/terminal.js';

export interface CommandEnd {
  code: number;
  /** What it printed on standard output. */
  output: string;
  /** What it printed beside that. */
  notes: string;
  /** The explanation of its failure, which the notes have, too. */
  failure?: string;
}

/** Runs a command of `trellis` in this process, which takes less time than one of its own. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<CommandEnd> {
  const before = { ...process.env };
  const output = captured(process.stdout);
  const notes = captured(process.stderr);
  try {
    Object.assign(process.env, env);
    await createProgram().parseAsync(args, { from: 'user' });
    return { code: Number(process.exitCode ?? 0), output: output.text, notes: notes.text };
  } catch (error) {
    const failure = explanationOf(error);
    if (failure === undefined && !(error instanceof CommanderError)) throw error;
    const code = await reportError(error, new Terminal());
    return { code, output: output.text, notes: notes.text, ...(failure && { failure }) };
  } finally {
    output.restore();
    notes.restore();
    process.exitCode = undefined;
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
}

/** Keeps what is written to a stream, instead of writing it. */
function captured(stream: NodeJS.WriteStream): { text: string; restore: () => void } {
  const write = jest.spyOn(stream, 'write').mockImplementation((part) => {
    capture.text += String(part);
    return true;
  });
  const capture = { text: '', restore: () => write.mockRestore() };
  return capture;
}

/** Runs one and parses its JSON. */
export async function runJson<Answer>(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Answer> {
  return JSON.parse((await runCommand([...args, '--json'], env)).output) as Answer;
}
