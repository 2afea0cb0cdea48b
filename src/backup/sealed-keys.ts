import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { isAbsent } from '../git/index.js';
import type { Config } from '../platform/config/index.js';
import { INSTANCE_KEY_FILE } from '../platform/secrets/index.js';
import { BackupError } from './errors.js';
import { KEYS } from './manifest.js';

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** 128 MiB of memory for a guess (OWASP's first recommended setting for scrypt). */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const MAX_MEMORY = 256 * 1024 * 1024;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;

const HOST_KEY = /^ssh_host_\w+_key$/;

/** The keys of an instance. */
export interface Keys {
  /** The text that the key for stored secrets is made of; null when there is none yet. */
  readonly secretKey: string | null;
  /** The SSH host keys, by the names of their files in `DATA_DIR`. */
  readonly hostKeys: Readonly<Record<string, string>>;
}

/** Keys as a backup contains them; the parameters of scrypt, and bytes in base64. */
interface SealedKeys {
  readonly kdf: 'scrypt';
  readonly cost: typeof COST;
  readonly cipher: typeof CIPHER;
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
}

/** Reads the keys of an instance from its settings and its `DATA_DIR`. */
export async function readKeys({ dataDir, secretKey }: Config): Promise<Keys> {
  const names = (await readdir(dataDir)).filter((name) => HOST_KEY.test(name));
  const hostKeys = await Promise.all(
    names.map(async (name) => [name, await readFile(path.join(dataDir, name), 'utf8')] as const),
  );
  return {
    secretKey: secretKey ?? (await storedSecretKey(dataDir)),
    hostKeys: Object.fromEntries(hostKeys),
  };
}

async function storedSecretKey(dataDir: string): Promise<string | null> {
  try {
    const text = await readFile(path.join(dataDir, INSTANCE_KEY_FILE), 'utf8');
    return text.trim() || null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Whether a name is that of a file which `Keys` can name. */
export const isHostKeyFile = (name: string): boolean => HOST_KEY.test(name);

/** Encrypts keys with a passphrase. */
export async function sealKeys(keys: Keys, passphrase: string): Promise<string> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv(CIPHER, await derive(passphrase, salt, COST), nonce);
  const data = Buffer.concat([cipher.update(JSON.stringify(keys), 'utf8'), cipher.final()]);
  const sealed: SealedKeys = {
    kdf: 'scrypt',
    cost: COST,
    cipher: CIPHER,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
  return `${JSON.stringify(sealed, undefined, 2)}\n`;
}

/** Decrypts keys. @throws BackupError for a wrong passphrase */
export async function openKeys(text: string, passphrase: string): Promise<Keys> {
  const { cost, salt, nonce, tag, data } = parseSealed(text);
  const key = await derive(passphrase, Buffer.from(salt, 'base64'), cost);
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64'), {
    authTagLength: 16,
  });
  decipher.setAuthTag(Buffer.from(tag, 'base64'));
  try {
    const opened = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as Keys;
  } catch (error) {
    throw new BackupError('The passphrase is not the one that the keys were sealed with.', {
      cause: error,
    });
  }
}

/** @throws BackupError for what `sealKeys` cannot have written; its checksum is not compared yet */
function parseSealed(text: string): SealedKeys {
  const damaged = (cause?: unknown): BackupError =>
    new BackupError(`${KEYS} is damaged.`, { cause });
  let sealed: Partial<Record<keyof SealedKeys, unknown>>;
  try {
    sealed = JSON.parse(text) as typeof sealed;
  } catch (error) {
    throw damaged(error);
  }
  const isComplete = ['salt', 'nonce', 'tag', 'data'].every(
    (name) => typeof sealed[name as keyof SealedKeys] === 'string',
  );
  if (!isComplete || !isDeepStrictEqual(sealed.cost, COST)) throw damaged();
  return sealed as SealedKeys;
}

const derive = (passphrase: string, salt: Buffer, cost: typeof COST): Promise<Buffer> =>
  deriveKey(passphrase.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY });
