import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import ssh2, { type ParsedKey } from 'ssh2';
import sshpk from 'sshpk';
import { createOnce, syncFolder, writeNewFile } from '../../../platform/config/index.js';

/** The second is for clients that know no elliptic curves. */
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

/**
 * Loads the private keys by which clients recognise the service: files in `DATA_DIR`, the same for all
 * processes, generated on the first start.
 * @throws when a file holds no key
 */
export async function loadHostKeys(dataDir: string): Promise<ParsedKey[]> {
  await mkdir(dataDir, { recursive: true });
  const keys: ParsedKey[] = [];
  for (const { name, make } of FILES) {
    const file = path.join(dataDir, name);
    const key = await loadHostKey(file, make);
    if (key === null) {
      throw new Error(
        `${file} does not hold a host key. Restore it from a backup: with another one, clients will refuse to connect.`,
      );
    }
    keys.push(key);
  }
  return keys;
}

/**
 * A private key in the one form that `ssh2` reads for every type. Its own generator drops the zero bytes
 * at the beginning of an ed25519 public key, after which it cannot read one key in 256.
 * @throws when the result cannot be read, so that no such key is ever stored
 */
export function openSshForm(key: KeyObject): string {
  const pem = key.export({ type: 'pkcs8', format: 'pem' });
  const text = sshpk.parsePrivateKey(pem, 'pkcs8').toString('openssh');
  if (parsePrivateKey(text) === null) throw new Error('A generated host key cannot be read');
  return text;
}

async function loadHostKey(file: string, make: () => string): Promise<ParsedKey | null> {
  const text = await createOnce(file, make);
  const key = parsePrivateKey(text);
  if (key !== null) return key;
  const repaired = repair(text);
  if (repaired === null) return null;
  // Every process that finds the broken file writes the same key, so it does not matter which is last.
  await replaceFile(file, repaired.text);
  return repaired.key;
}

function parsePrivateKey(text: string): ParsedKey | null {
  const key = ssh2.utils.parseKey(text);
  return key instanceof Error || !key.isPrivateKey() ? null : key;
}

/**
 * Completes a key whose public part lacks its leading zero bytes, as earlier versions stored it. No client
 * has ever seen such a key, since the service did not start with it. Null for anything else.
 */
function repair(text: string): { text: string; key: ParsedKey } | null {
  try {
    const repaired = sshpk.parsePrivateKey(text, 'openssh').toString('openssh');
    const key = parsePrivateKey(repaired);
    return key === null ? null : { text: repaired, key };
  } catch {
    return null;
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${String(process.pid)}-${randomBytes(6).toString('hex')}`;
  await writeNewFile(draft, text);
  await rename(draft, file);
  await syncFolder(path.dirname(file));
}
