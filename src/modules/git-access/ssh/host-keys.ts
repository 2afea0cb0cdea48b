import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmod, mkdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import ssh2, { type ParsedKey } from 'ssh2';
import sshpk from 'sshpk';
import { createOnce, replaceFile } from '../../../platform/config/index.js';
import { Database, UnitOfWork } from '../../../platform/database/index.js';
import { LOCK_HOST_KEY_REPLACEMENT } from './host-keys.sql.js';

/** The second is for clients without elliptic curves. */
const FILES = [
  {
    name: 'ssh_host_ed25519_key',
    make: () => openSshForm(generateKeyPairSync('ed25519').privateKey),
  },
  {
    name: 'ssh_host_rsa_key',
    make: () => openSshForm(generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey),
  },
];

/** The private host keys, by which clients recognise the service. */
@Injectable()
export class HostKeys {
  constructor(
    private readonly work: UnitOfWork,
    private readonly database: Database,
  ) {}

  /**
   * Loads the keys from files in `DATA_DIR`, the same for all processes, generated on the first start. A
   * file without a key (empty, truncated, garbage) is renamed to `<name>.unreadable` and replaced by a
   * new key.
   * @throws when a file holds a key that is protected by a passphrase: it is the operator's own
   */
  async load(dataDir: string, logger: Logger): Promise<ParsedKey[]> {
    await mkdir(dataDir, { recursive: true });
    const keys: ParsedKey[] = [];
    for (const { name, make } of FILES) {
      const file = path.join(dataDir, name);
      keys.push((await readHostKey(file, make)) ?? (await this.replace(file, make, logger)));
    }
    return keys;
  }

  /** Replaces an unreadable file, under a lock, so that processes that start together load the same key. */
  private replace(file: string, make: () => string, logger: Logger): Promise<ParsedKey> {
    const replaced = async (): Promise<ParsedKey> => {
      await this.database.rows(LOCK_HOST_KEY_REPLACEMENT);
      const present = await readHostKey(file, make);
      if (present !== null) return present;
      const aside = `${file}.unreadable`;
      await chmod(file, 0o600);
      await rename(file, aside);
      const key = await readHostKey(file, make);
      if (key === null) throw new Error(`${file} cannot be replaced by a new host key`);
      logger.warn(
        { file, aside },
        'A host key could not be read and was replaced: SSH clients will report a changed host key',
      );
      return key;
    };
    return this.work.run(replaced, { retry: false });
  }
}

/**
 * Formats a private key in the only form that `ssh2` reads for every type. Its own generator drops the zero bytes
 * at the beginning of an ed25519 public key, after which it cannot read one key in 256.
 * @throws when the result cannot be read, so that no such key is ever stored
 */
export function openSshForm(key: KeyObject): string {
  const pem = key.export({ type: 'pkcs8', format: 'pem' });
  const text = sshpk.parsePrivateKey(pem, 'pkcs8').toString('openssh');
  if (parsePrivateKey(text) === null) throw new Error('A generated host key cannot be read');
  return text;
}

/** @returns null for a file without a key. @throws for a key that is protected by a passphrase */
async function readHostKey(file: string, make: () => string): Promise<ParsedKey | null> {
  const text = await createOnce(file, make);
  const key = parsePrivateKey(text);
  if (key !== null) return key;
  const repaired = repair(text);
  if (repaired !== null) {
    // Every process that finds the broken file writes the same key, so it does not matter which is last.
    await replaceFile(file, repaired.text);
    return repaired.key;
  }
  if (isEncrypted(text)) {
    throw new Error(
      `${file} holds a key that is protected by a passphrase. Store it without one (ssh-keygen -p).`,
    );
  }
  return null;
}

/** Whether a host key can be loaded; `unreadable` ones are replaced by the next start. */
type HostKeyState = 'absent' | 'readable' | 'encrypted' | 'unreadable';

/**
 * Looks at the files of the host keys, and changes nothing.
 * @throws Error when one cannot be read
 */
export async function inspectHostKeys(dataDir: string): Promise<Map<string, HostKeyState>> {
  const states = new Map<string, HostKeyState>();
  for (const { name } of FILES) {
    const file = path.join(dataDir, name);
    states.set(file, stateOf(await readFile(file, 'utf8').catch(ignoreAbsence)));
  }
  return states;
}

function ignoreAbsence(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

function stateOf(text: string | null): HostKeyState {
  if (text === null) return 'absent';
  if (parsePrivateKey(text) !== null || repair(text) !== null) return 'readable';
  return isEncrypted(text) ? 'encrypted' : 'unreadable';
}

function parsePrivateKey(text: string): ParsedKey | null {
  const key = ssh2.utils.parseKey(text);
  return key instanceof Error || !key.isPrivateKey() ? null : key;
}

/**
 * Completes a key whose public part lacks its leading zero bytes, as earlier versions stored it; no client
 * has ever seen such a key, since the service did not start with it. Converts a key in another form, such
 * as PKCS #8, to OpenSSH's. Null for anything else.
 */
function repair(text: string): { text: string; key: ParsedKey } | null {
  try {
    const repaired = sshpk.parsePrivateKey(text, 'auto').toString('openssh');
    const key = parsePrivateKey(repaired);
    return key === null ? null : { text: repaired, key };
  } catch {
    return null;
  }
}

/** Whether a text is a key with a passphrase: `ssh2` recognises PuTTY's form, `sshpk` all others. */
function isEncrypted(text: string): boolean {
  try {
    sshpk.parsePrivateKey(text, 'auto');
    return false;
  } catch (error) {
    const failure = ssh2.utils.parseKey(text);
    const isPutty = failure instanceof Error && failure.message.startsWith('Encrypted PPK');
    return isPutty || (error as Error).name === 'KeyEncryptedError';
  }
}
