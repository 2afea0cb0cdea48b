import type { Command } from 'commander';
import type { BackupResult } from '../../backup/index.js';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { UsageError } from '../errors.js';
import { reasonOf } from '../probes/time-limit.js';

interface BackupCommandOptions {
  to: string;
  passphraseFile?: string;
  force?: boolean;
}

/** Adds `trellis backup`. */
export function addBackup(program: Command): void {
  concludeWith(
    program
      .command('backup')
      .description('back up database, repositories, uploads and keys while the service runs')
      .requiredOption(
        '--to <directory|file>',
        'a directory of backups, or a file that ends in .tar.zst or .tar.gz',
      )
      .option('--passphrase-file <file>', 'seal the keys with the passphrase in this file')
      .option('--force', 'replace an archive that exists'),
    runBackup,
  );
}

async function runBackup({
  options,
  terminal,
}: CommandCall<BackupCommandOptions>): Promise<CommandResult> {
  const { to, force = false } = options;
  await requireBackupName(to);
  const { readConfig, withDatabase } = await import('../open.js');
  const { readPassphrase } = await import('../passphrase.js');
  const passphrase = await readPassphrase(readConfig(), options.passphraseFile);
  return withDatabase(async ({ config, databaseUrl }) => {
    const { createBackup } = await import('../../backup/index.js');
    const begin = performance.now();
    const result = await createBackup({
      config,
      databaseUrl,
      passphrase,
      to,
      force,
      progress: terminal,
    });
    const seconds = (performance.now() - begin) / 1000;
    const warnings = [...warningsOf(result), ...(await recordBackup(databaseUrl, result))];
    for (const warning of warnings) terminal.note(warning);
    return describe(result, seconds, warnings);
  });
}

/** Names of files that are no directories, but for those that exist. */
const OTHER_FILE = /\.(?:7z|bz2|dump|gz|rar|sql|tar|tbz2?|tgz|txz|tzst|xz|zip|zst)$/i;

/** @throws UsageError for a file of a kind that is not written, which would become a directory */
async function requireBackupName(to: string): Promise<void> {
  const { isArchive } = await import('../../backup/files/compression.js');
  if (isArchive(to)) return;
  const { stat } = await import('node:fs/promises');
  const found = await stat(to).catch(() => null);
  if (found === null ? OTHER_FILE.test(to) : !found.isDirectory()) {
    throw new UsageError(
      `--to takes a directory, or a file that ends in .tar.zst or .tar.gz: ${to}`,
    );
  }
}

/** Records the backup in the audit log. @returns a warning if that fails, as it does before `trellis migrate` */
async function recordBackup(
  databaseUrl: string,
  { path, manifest: { repositories, hasKeys } }: BackupResult,
): Promise<string[]> {
  const { recordCommand } = await import('../../bootstrap/record-command.js');
  try {
    await recordCommand(databaseUrl, {
      action: 'backup.created',
      target: { type: 'backup', name: path },
      details: { repositories, has_keys: hasKeys },
    });
    return [];
  } catch (error) {
    return [`The audit log has no entry of this backup: ${reasonOf(error)}`];
  }
}

function warningsOf({ manifest: { hasKeys, missingRepositories } }: BackupResult): string[] {
  return [
    ...(hasKeys
      ? []
      : [
          'The backup has no keys, without which tokens and hooks cannot be read: name a file by --passphrase-file, or keep SECRET_KEY (or DATA_DIR/secret.key) and the SSH host keys elsewhere.',
        ]),
    ...missingRepositories.map(
      (id) => `Project ${String(id)} has no repository on the disk; it will be restored empty.`,
    ),
  ];
}

function describe(result: BackupResult, seconds: number, warnings: string[]): CommandResult {
  const { path, files, bytesCopied, bytesReused, manifest, rows } = result;
  const { repositories, takenAt } = manifest;
  const text = [
    `${path}: ${files} files of ${repositories} repositories and ${rows} rows in ${seconds.toFixed(1)} s.`,
    `${megabytes(bytesCopied)} were copied, ${megabytes(bytesReused)} are shared with the previous backup.`,
  ].join('\n');
  const json = {
    path,
    takenAt,
    files,
    bytesCopied,
    bytesReused,
    rows,
    repositories,
    keys: manifest.hasKeys,
    warnings,
  };
  return { text, json, lacksKeys: !manifest.hasKeys };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
