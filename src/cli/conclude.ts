import type { Command } from 'commander';
import { Terminal } from './terminal.js';

/** What commands end with; the help lists them. */
export const ExitCode = { Done: 0, Failed: 1, Usage: 2, Found: 3, WithoutKeys: 4 } as const;

/** What a command answers. */
export interface CommandResult {
  /** For people, without a line break at the end. */
  readonly text: string;
  /** For scripts, printed with `--json`. */
  readonly json: unknown;
  /** Whether a check has found something, or a part was left out: the exit code is `Found`. */
  readonly hasFindings?: boolean;
  /** Whether a backup lacks the keys: the exit code is `WithoutKeys`. */
  readonly lacksKeys?: boolean;
}

/** What a command was called with. */
export interface CommandCall<Options> {
  readonly args: readonly string[];
  readonly options: Options;
  readonly terminal: Terminal;
}

/**
 * Lets a command carry out `action` and print the result: text, or JSON with the option `--json`, which it gets by this.
 * The type of the options has to agree with those that were declared.
 */
export function concludeWith<Options>(
  command: Command,
  action: (call: CommandCall<Options>) => Promise<CommandResult>,
): void {
  command.option('--json', 'print the result as JSON').action(async () => {
    const options = command.opts<Options & { json?: boolean }>();
    const terminal = new Terminal();
    const {
      text,
      json,
      hasFindings = false,
      lacksKeys = false,
    } = await action({ args: command.args, options, terminal });
    terminal.print(options.json === true ? JSON.stringify(json, undefined, 2) : text);
    process.exitCode = hasFindings
      ? ExitCode.Found
      : lacksKeys
        ? ExitCode.WithoutKeys
        : ExitCode.Done;
  });
}
