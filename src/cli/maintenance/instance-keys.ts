import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  createOnce,
  syncFolder,
  VARIABLES,
  withoutLineBreak,
} from '../../platform/config/index.js';
import { INSTANCE_KEY_FILE, keyFromText, Secrets } from '../../platform/secrets/index.js';
import { CommandError } from '../errors.js';

const LEAST_CHARACTERS = 32;

/** The key of an instance and the one that takes its place. */
export interface InstanceKeys {
  readonly current: Secrets;
  /** @returns undefined unless an earlier run has made it, or the operator */
  findNext(): Promise<Secrets | undefined>;
  makeNext(): Promise<Secrets>;
  /** Removes the new key, which the database does not have. */
  abandon(): Promise<void>;
  /** Puts the new key in its place, once the database has it. @returns what the operator has to do */
  exchange(): Promise<string>;
}

/** Opens the keys in `DATA_DIR`. The new one is on the disk before the database has it, and is used again by a second run. */
export async function openKeyFiles(dataDir: string): Promise<InstanceKeys> {
  const file = path.join(dataDir, INSTANCE_KEY_FILE);
  const next = `${file}.next`;
  return {
    current: secretsOf((await readText(file)).trim(), file),
    findNext: async () => {
      const text = await readFile(next, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : secretsOf(text.trim(), next);
    },
    makeNext: async () => {
      const text = await createOnce(next, () => `${randomBytes(32).toString('hex')}\n`);
      return secretsOf(text.trim(), next);
    },
    abandon: () => rm(next, { force: true }),
    exchange: async () => {
      // A name of its own, so that no exchange replaces the key of an earlier one.
      const previous = `${file}.until-${new Date().toISOString().replaceAll(':', '-')}`;
      await link(file, previous);
      await rename(next, file);
      await syncFolder(path.dirname(file));
      return `${previous} opens older backups: keep it with them, then delete it.`;
    },
  };
}

/**
 * The key in `SECRET_KEY`, and a new one in a file of the operator, who has both.
 * @throws CommandError for a new one that is the same, or that the service does not take
 */
export async function openConfiguredKeys(current: string, file: string): Promise<InstanceKeys> {
  const text = withoutLineBreak(await readText(file));
  const { kind } = VARIABLES.SECRET_KEY;
  if (kind.parse(text) === undefined) {
    throw new CommandError(
      `${file} does not hold a value for SECRET_KEY, allowed: ${kind.allowed}.`,
    );
  }
  if (text === current) throw new CommandError(`${file} holds the SECRET_KEY in force.`);
  const next = new Secrets(keyFromText(text));
  return {
    current: new Secrets(keyFromText(current)),
    findNext: () => Promise.resolve(next),
    makeNext: () => Promise.resolve(next),
    abandon: () => Promise.resolve(),
    exchange: () =>
      Promise.resolve(
        `Set SECRET_KEY to the content of ${file} before the service starts. The old one opens older backups.`,
      ),
  };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function secretsOf(key: string, source: string): Secrets {
  if (key.length >= LEAST_CHARACTERS) return new Secrets(keyFromText(key));
  throw new CommandError(`${source} does not hold a key of ${LEAST_CHARACTERS} characters.`);
}
