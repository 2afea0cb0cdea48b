import { readFile } from 'node:fs/promises';
import { type Config, withoutLineBreak } from '../platform/config/index.js';
import { CommandError } from './errors.js';

/**
 * Reads the passphrase for the keys of a backup: from a file if one is named, otherwise from the configuration.
 * @returns null when there is none
 * @throws CommandError when the file cannot be read or is empty
 */
export async function readPassphrase(config: Config, file?: string): Promise<string | null> {
  if (file === undefined) return config.backupPassphrase ?? null;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`The passphrase cannot be read: ${(error as Error).message}`);
  });
  const passphrase = withoutLineBreak(text);
  if (passphrase === '') throw new CommandError(`${file} has no passphrase.`);
  return passphrase;
}
