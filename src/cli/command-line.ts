import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { programVersion } from '../platform/config/index.js';
import { addAudit } from './commands/audit.js';
import { addBackup } from './commands/backup.js';
import { addConfig } from './commands/config.js';
import { addDoctor } from './commands/doctor.js';
import { addFsck } from './commands/fsck.js';
import { addHousekeeping } from './commands/housekeeping.js';
import { addImport } from './commands/import.js';
import { addMigrate } from './commands/migrate.js';
import { addHook } from './commands/hook.js';
import { addReplay } from './commands/replay.js';
import { addRestore } from './commands/restore.js';
import { addRotateSecret } from './commands/rotate-secret.js';
import { addSeed } from './commands/seed.js';
import { addStart } from './commands/start.js';
import { addStatus } from './commands/status.js';
import { addUser } from './commands/user.js';
import { ExitCode } from './conclude.js';
import { Terminal } from './terminal.js';

/**
 * Every command, in the order of the help. Their modules declare arguments only, and load what they need when they
 * run: the help answers at once.
 */
const COMMANDS: readonly ((program: Command) => void)[] = [
  addStart,
  addMigrate,
  addStatus,
  addDoctor,
  addConfig,
  addUser,
  addAudit,
  addBackup,
  addRestore,
  addFsck,
  addHousekeeping,
  addReplay,
  addHook,
  addRotateSecret,
  addImport,
  addSeed,
];

/**
 * Runs what the arguments of the command line ask for; the role of a service keeps running afterwards. Sets the exit code,
 * and ends the process if the command failed, whatever it may have left open.
 */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exit(await reportError(error, new Terminal()));
  }
}

/** @returns the program, whose errors are thrown */
export function createProgram(): Command {
  const program = new Command('trellis')
    .description('Self-hosted project hosting: the service, and commands for those who run it')
    .version(programVersion())
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError('(add --help for what is allowed)')
    .addHelpText('after', EXIT_CODES);
  for (const add of COMMANDS) add(program);
  return program;
}

const EXIT_CODES = `
Settings are environment variables, which .env.example lists; a file .env in the working directory has them, too.
Exit codes: 0 done, 1 failed, 2 wrong arguments or settings, 3 a check has found something,
4 the backup is complete, but has no keys.`;

/** Prints an error: without a stack if the operator can mend it. @returns the exit code */
export async function reportError(error: unknown, terminal: Terminal): Promise<number> {
  // Its text is printed already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : ExitCode.Usage;
  const { explanationOf, isUsageError } = await import('./explained-errors.js');
  terminal.note(explanationOf(error) ?? inspect(error));
  return isUsageError(error) ? ExitCode.Usage : ExitCode.Failed;
}
