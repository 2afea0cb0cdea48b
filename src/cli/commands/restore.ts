import type { Command } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';

interface RestoreCommandOptions {
  from: string;
  dataDir?: string;
  passphraseFile?: string;
  force?: boolean;
}

/** Adds `trellis restore`. */
export function addRestore(program: Command): void {
  concludeWith(
    program
      .command('restore')
      .description('restore an instance from a backup; the service must not run')
      .requiredOption(
        '--from <backup>',
        'a folder or file that trellis backup made, or the directory of several: the newest',
      )
      .option('--data-dir <folder>', 'restore into this folder instead of DATA_DIR')
      .option('--passphrase-file <file>', 'open the keys with the passphrase in this file')
      .option('--force', 'replace the instance that is there'),
    runRestore,
  );
}

async function runRestore({
  options,
  terminal,
}: CommandCall<RestoreCommandOptions>): Promise<CommandResult> {
  const { createCommandLogger, readConfig, requireOwnAccount } = await import('../open.js');
  const { readPassphrase } = await import('../passphrase.js');
  const { restoreBackup } = await import('../../backup/index.js');
  const { from, dataDir, force = false } = options;
  const config = readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });
  await requireOwnAccount(config);
  const passphrase = await readPassphrase(config, options.passphraseFile);
  const { manifest, rows, hasKeys } = await restoreBackup({
    config,
    from,
    force,
    passphrase,
    progress: terminal,
    logger: await createCommandLogger(),
  });
  const { takenAt, repositories } = manifest;
  const warnings = hasKeys
    ? []
    : [
        `The backup has no keys: put secret.key and the SSH host keys into ${config.dataDir}, or set SECRET_KEY, before the first start.`,
      ];
  for (const warning of warnings) terminal.note(warning);
  return {
    text: `The instance is as it was at ${takenAt}: ${repositories} repositories and ${rows} rows.`,
    json: { takenAt, repositories, rows, dataDir: config.dataDir, warnings },
  };
}
