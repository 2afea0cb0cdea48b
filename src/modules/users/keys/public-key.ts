import { createPublicKey } from 'node:crypto';
import sshpk from 'sshpk';

/** The types that are taken (open points 5.16), with the fewest bits of those that have a choice. */
const LEAST_BITS: ReadonlyMap<string, number> = new Map([
  ['ssh-rsa', 1024],
  ['ssh-dss', 1024],
  ['ssh-ed25519', 0],
  ['ecdsa-sha2-nistp256', 0],
  ['ecdsa-sha2-nistp384', 0],
  ['ecdsa-sha2-nistp521', 0],
]);

/** Type, data and an optional comment; options before them, as in `authorized_keys`, are no key. */
const LINE = /^([a-z0-9-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t].*)?$/u;

/**
 * The MD5 fingerprint of a public key in OpenSSH's one-line form, in hexadecimal with colons; null for
 * anything that is not a sound key of a permitted type and strength.
 */
export function fingerprintOf(line: string): string | null {
  const [, type = '', data = ''] = LINE.exec(line) ?? [];
  const leastBits = LEAST_BITS.get(type);
  if (leastBits === undefined) return null;
  const key = parse(Buffer.from(data, 'base64'));
  if (key === null || key.size < leastBits) return null;
  // One key has one spelling: any other would have a fingerprint of its own.
  return `${type} ${data}` === key.toString('ssh').split(' ', 2).join(' ')
    ? key.fingerprint('md5').toString('hex')
    : null;
}

/** The bytes of a stored key, as they go over the wire. */
export function keyData(line: string): Buffer {
  return Buffer.from(line.split(/[ \t]+/, 2)[1] ?? '', 'base64');
}

/** Whether two stored keys are the same one; their comments do not count. */
export function isSameKey(line: string, other: string): boolean {
  return keyData(line).equals(keyData(other));
}

function parse(data: Buffer): sshpk.Key | null {
  try {
    const key = sshpk.parseKey(data, 'rfc4253');
    // sshpk reads the numbers; OpenSSL knows whether they are a key: a point on the curve, for one.
    createPublicKey(key.toString('pkcs8'));
    return key;
  } catch {
    return null;
  }
}
