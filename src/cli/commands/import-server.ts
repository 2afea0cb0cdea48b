import type { Command } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { UsageError } from '../errors.js';
import type { Terminal } from '../terminal.js';

interface ImportServerOptions {
  tokenFile: string;
  groups?: string[];
  projects?: string[];
  createUsers?: boolean;
  existingGroups?: boolean;
  as?: string;
  state?: string;
  resume?: boolean;
  dryRun?: boolean;
}

/** Adds `trellis import server`. */
export function addImportServer(group: Command): void {
  concludeWith(
    group
      .command('server')
      .description('take over groups and projects of another server that speaks v3')
      .argument('<url>', 'such as https://git.example.com')
      .requiredOption('--token-file <file>', 'with a private token of the other server')
      .option('--groups <paths...>', 'only these groups, with their projects')
      .option('--projects <paths...>', 'only these projects, and their groups')
      .option('--create-users', 'make blocked accounts for users who have none here')
      .option('--existing-groups', 'add members and projects to groups that are here already')
      .option('--as <user>', 'the administrator who imports (default: the oldest one)')
      .option('--state <file>', 'the progress (default: imports/<host>.json in DATA_DIR)')
      .option('--resume', 'continue an import')
      .option('--dry-run', 'list groups and projects, and change nothing'),
    runImportServer,
  );
}

async function runImportServer({
  args,
  options,
  terminal,
}: CommandCall<ImportServerOptions>): Promise<CommandResult> {
  const path = await import('node:path');
  const { RemoteServer } = await import('../import/server/remote-server.js');
  const { withApplication } = await import('../open.js');
  const { ServerImportState } = await import('../import/server/import-state.js');
  const { analyzeTables } = await import('../import/analyze-tables.js');
  const { ServerImporter } = await import('../import/server/server-importer.js');
  const { dryRun = false } = options;
  const token = await readToken(options.tokenFile, terminal);
  const server = RemoteServer.at(args[0] ?? '', token);
  return withApplication(async (app, { config }) => {
    const file =
      options.state ??
      path.join(config.dataDir, 'imports', `${server.host.replace(/[^\w.-]/g, '_')}.json`);
    const state = dryRun
      ? ServerImportState.fresh(file, server.url)
      : await ServerImportState.open(file, server.url, options.resume ?? false);
    const settings = {
      groups: options.groups ?? [],
      projects: options.projects ?? [],
      createUsers: options.createUsers ?? false,
      existingGroups: options.existingGroups ?? false,
      as: options.as,
      dryRun,
    };
    const importer = await ServerImporter.open(app, server, token, settings, state, terminal);
    await importer.importAll();
    if (!dryRun) await analyzeTables(app);
    const { report } = state;
    return {
      text: report.toText(dryRun ? 'There would be, with what they contain' : 'Taken over'),
      json: report.toJson(),
      hasFindings: !report.isComplete,
    };
  });
}

async function readToken(file: string, terminal: Terminal): Promise<string> {
  const { readFile, stat } = await import('node:fs/promises');
  const text = await readFile(file, 'utf8').catch(() => null);
  const token = text?.trim() ?? '';
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) {
    throw new UsageError(`${file} has no token: a single word is expected`);
  }
  if (((await stat(file)).mode & 0o077) !== 0) {
    terminal.note(`${file} can be read by others: chmod it to 0600`);
  }
  return token;
}
