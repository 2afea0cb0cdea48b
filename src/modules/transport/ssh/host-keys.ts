import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import ssh2, { type ParsedKey } from 'ssh2';
import { createOnce } from '../../../platform/config/index.js';

const { generateKeyPairSync, parseKey } = ssh2.utils;

/** The second is for clients that know no elliptic curves. */
const FILES = [
  { name: 'ssh_host_ed25519_key', make: () => generateKeyPairSync('ed25519') },
  { name: 'ssh_host_rsa_key', make: () => generateKeyPairSync('rsa', { bits: 3072 }) },
];

/**
 * By what clients recognise the service: private keys in `DATA_DIR`, generated on the first start,
 * the same for all processes.
 * @throws when a file is there but holds no key
 */
export async function loadHostKeys(dataDir: string): Promise<ParsedKey[]> {
  await mkdir(dataDir, { recursive: true });
  const keys: ParsedKey[] = [];
  for (const { name, make } of FILES) {
    const file = path.join(dataDir, name);
    const key = parseKey(await createOnce(file, () => make().private));
    if (key instanceof Error || !key.isPrivateKey()) {
      throw new Error(
        `${file} does not hold a host key. Restore it from a backup: with another one, clients will refuse to connect.`,
      );
    }
    keys.push(key);
  }
  return keys;
}
