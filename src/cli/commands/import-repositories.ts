import { type Command, Option } from 'commander';
import type { RepositoriesImporterOptions } from '../import/repositories-importer.js';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { UsageError } from '../errors.js';

/** Adds `trellis import repositories`. */
export function addImportRepositories(group: Command): void {
  concludeWith(
    group
      .command('repositories')
      .description('make a project of each repository below a directory')
      .argument('<directory>', 'with bare repositories and clones; its first folders become groups')
      .addOption(
        new Option('--owner <user>', 'put all of them into the namespace of a user').conflicts(
          'group',
        ),
      )
      .option('--group <path>', 'put all of them into a group, which is made if there is none')
      .addOption(
        new Option('--visibility <level>', 'of the projects and of new groups').choices([
          'private',
          'internal',
          'public',
        ]),
      )
      .option('--dry-run', 'say what would be done and change nothing'),
    runImportRepositories,
  );
}

async function runImportRepositories({
  args,
  options,
  terminal,
}: CommandCall<RepositoriesImporterOptions>): Promise<CommandResult> {
  const [directory = ''] = args;
  const { isFolder } = await import('../probes/folder.js');
  if (!(await isFolder(directory))) throw new UsageError(`There is no directory ${directory}`);
  const { withApplication } = await import('../open.js');
  const { analyzeTables } = await import('../import/analyze-tables.js');
  const { RepositoriesImporter } = await import('../import/repositories-importer.js');
  const { describeRepositories } = await import('../import/repositories-report.js');
  const results = await withApplication(async (app, { config }) => {
    const importer = new RepositoriesImporter(app, config, options, terminal);
    const imported = await importer.importDirectory(directory);
    if (options.dryRun !== true) await analyzeTables(app);
    return imported;
  });
  const isIncomplete = results.some(({ result }) => result === 'skipped' || result === 'failed');
  return {
    text: describeRepositories(results, options.dryRun ?? false),
    json: { repositories: results },
    hasFindings: isIncomplete,
  };
}
