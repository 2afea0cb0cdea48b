import { Argument, type Command } from 'commander';
import { Terminal } from '../terminal.js';

/** Adds `trellis start`. */
export function addStart(program: Command): void {
  program
    .command('start')
    .description('serve until SIGTERM or Ctrl-C')
    .addArgument(
      new Argument('[role]', 'api and worker in one process, or one of them')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .action(async (role: 'all' | 'api' | 'worker') => {
      const { PACKAGE_ROOT, readConfig, requireAnswer } = await import('../open.js');
      const { unknownVariables } = await import('../../platform/config/index.js');
      const { run } = await import('../../bootstrap/run.js');
      const terminal = new Terminal();
      const print = (text: string): void => terminal.print(text);
      const config = readConfig();
      for (const name of unknownVariables()) {
        terminal.note(`.env sets ${name}, which is no variable of Trellis`);
      }
      if (config.database.url !== undefined) await requireAnswer(config.database.url);
      await run(role, { config, packageRoot: PACKAGE_ROOT, print });
    });
}
