import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.js';
import { createOnce } from './create-once.js';

const LEAST_CHARACTERS = 32;

/**
 * The 32 byte key for stored secrets: made from `SECRET_KEY`, else from `DATA_DIR/secret.key`,
 * which is generated once. The file's text may be moved to `SECRET_KEY`: the key stays the same.
 * @throws when the file is there but holds less than a key
 */
export async function loadSecretKey(config: Config): Promise<Buffer> {
  const text = config.secretKey ?? (await storedText(config.dataDir));
  return createHash('sha256').update('trellis secret key\0').update(text).digest();
}

async function storedText(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'secret.key');
  const text = (await createOnce(path, () => `${randomBytes(32).toString('hex')}\n`)).trim();
  if (text.length >= LEAST_CHARACTERS) return text;
  throw new Error(
    `${path} does not hold a key. Restore it from a backup: what was encrypted with it cannot be read with another one.`,
  );
}
