import type { Command } from 'commander';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import { UsageError } from '../errors.js';
import type { InstanceKeys } from '../maintenance/instance-keys.js';
import type { KeyRotation } from '../maintenance/key-rotation.js';
import type { Terminal } from '../terminal.js';

const CONFIGURED = 'SECRET_KEY is set: name a file with its new value by --new-key-file';
const NOT_CONFIGURED =
  '--new-key-file is for SECRET_KEY, which is not set: the new key is made in DATA_DIR';

interface RotateOptions {
  newKeyFile?: string;
}

/** Adds `trellis rotate-secret`. */
export function addRotateSecret(program: Command): void {
  concludeWith(
    program
      .command('rotate-secret')
      .description(
        'replace the key that stored secrets are encrypted with; the service must not run',
      )
      .option('--new-key-file <path>', 'where SECRET_KEY is set: a file with its new value'),
    runRotateSecret,
  );
}

async function runRotateSecret(call: CommandCall<RotateOptions>): Promise<CommandResult> {
  const { newKeyFile } = call.options;
  const { readConfig, withDatabase } = await import('../open.js');
  const { requireMigrated } = await import('../../bootstrap/pending-migrations.js');
  const { openConfiguredKeys, openKeyFiles } = await import('../maintenance/instance-keys.js');
  const { KeyRotation } = await import('../maintenance/key-rotation.js');
  const { secretKey, dataDir } = readConfig();
  if ((secretKey === undefined) !== (newKeyFile === undefined)) {
    throw new UsageError(secretKey === undefined ? NOT_CONFIGURED : CONFIGURED);
  }
  return withDatabase(async ({ databaseUrl }) => {
    const keys =
      secretKey === undefined || newKeyFile === undefined
        ? await openKeyFiles(dataDir)
        : await openConfiguredKeys(secretKey, newKeyFile);
    await requireMigrated(databaseUrl);
    await KeyRotation.with(databaseUrl, (rotation) => rotate(rotation, keys, call.terminal));
    const advice = await keys.exchange();
    return { text: `The key was replaced. ${advice}`, json: { advice } };
  });
}

async function rotate(
  rotation: KeyRotation,
  keys: InstanceKeys,
  terminal: Terminal,
): Promise<void> {
  if (!(await rotation.isKey(keys.current))) {
    const next = await keys.findNext();
    // After a run that was killed between its commit and the exchange of the keys.
    if (next !== undefined && (await rotation.isKey(next))) return;
    const { WrongKeyError } = await import('../../platform/secrets/index.js');
    throw new WrongKeyError();
  }
  const total = await rotation.countRows();
  try {
    await terminal.progress('Encrypting secrets', total, (advance) =>
      rotation.reencrypt(keys.current, () => keys.makeNext(), advance),
    );
  } catch (error) {
    // A new key that the database may have is left for the next run.
    await rotation.whileKeyIs(keys.current, () => keys.abandon()).catch(() => undefined);
    throw error;
  }
}
