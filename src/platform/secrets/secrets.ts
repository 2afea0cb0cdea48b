import { LRUCache } from 'lru-cache';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, createOnce } from '../config/index.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT = 'trellis';
const RANDOM_TOKEN_BYTES = 15;
/** Of the file that holds the instance key. */
const LEAST_CHARACTERS = 32;
/** In `DATA_DIR`. */
export const INSTANCE_KEY_FILE = 'secret.key';
const REMEMBERED_DIGESTS = 1_000;
/** In characters; tokens have 20. */
const MAX_REMEMBERED = 100;

/**
 * Keeps secrets out of the database's clear text: what is only compared is stored as a keyed hash,
 * what must be shown or used again is stored encrypted (AES-256-GCM). Both keys derive from the one
 * instance key, so a copy of the database alone gives nothing away.
 */
export class Secrets {
  private readonly digestKey: Buffer;
  private readonly sealKey: Buffer;
  private readonly digests = new LRUCache<string, string>({ max: REMEMBERED_DIGESTS });

  /** @param instanceKey at least 32 random bytes, the same in every process of the instance */
  constructor(instanceKey: Buffer) {
    this.digestKey = deriveKey(instanceKey, 'digest');
    this.sealKey = deriveKey(instanceKey, 'seal');
  }

  /**
   * A keyed hash to look a secret up by: the same text always gives the same 64 hex digits. The last
   * ones are remembered, for a token comes with every request; not to be asked for passwords.
   */
  digest(secret: string): string {
    const known = this.digests.get(secret);
    if (known !== undefined) return known;
    const digest = this.hash(secret).toString('hex');
    if (secret.length <= MAX_REMEMBERED) this.digests.set(secret, digest);
    return digest;
  }

  /** Compares a secret with a stored digest in constant time. */
  matches(secret: string, digest: string): boolean {
    const expected = Buffer.from(digest, 'hex');
    const actual = this.hash(secret);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** Encrypts a text; sealing the same text twice gives different results. */
  seal(plain: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce);
    const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** Decrypts what `seal` gave. @throws when the text was altered or sealed under another key */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(tag);
    const encrypted = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
  }

  /** Whether `open` decrypts a text, so that these are the secrets of the instance that sealed it. */
  opens(sealed: string): boolean {
    try {
      this.open(sealed);
      return true;
    } catch {
      return false;
    }
  }

  private hash(secret: string): Buffer {
    return createHmac('sha256', this.digestKey).update(secret).digest();
  }
}

function deriveKey(instanceKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', instanceKey, SALT, purpose, KEY_BYTES));
}

/**
 * A fresh token of 20 characters of `[A-Za-z0-9_-]`, 120 bits of randomness
 * (docs/reference/authentication.md#private-tokens).
 */
export function randomToken(): string {
  return randomBytes(RANDOM_TOKEN_BYTES).toString('base64url');
}

/**
 * The 32 byte key for stored secrets: made from `SECRET_KEY`, else from `DATA_DIR/secret.key`,
 * which is generated once. The file's text may be moved to `SECRET_KEY`: the key stays the same.
 * @throws when the file is there but holds less than a key
 */
export async function loadSecretKey(config: Config): Promise<Buffer> {
  const text = config.secretKey ?? (await storedText(config.dataDir));
  return keyFromText(text);
}

/** Makes a key for stored secrets from the text of `SECRET_KEY`, or of the file in its place. */
export function keyFromText(text: string): Buffer {
  return createHash('sha256').update('trellis secret key\0').update(text).digest();
}

async function storedText(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, INSTANCE_KEY_FILE);
  const text = (await createOnce(path, () => `${randomBytes(32).toString('hex')}\n`)).trim();
  if (text.length >= LEAST_CHARACTERS) return text;
  throw new Error(
    `${path} does not hold a key. Restore it from a backup: what was encrypted with it cannot be read with another one.`,
  );
}
