import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import sshpk from 'sshpk';

/** New public keys in OpenSSH's form, without a comment, by their types. */
export const newKey = () => lineOf(generateKeyPairSync('ed25519').publicKey);
export const rsa = (bits: number) =>
  lineOf(generateKeyPairSync('rsa', { modulusLength: bits }).publicKey);
export const ec = (namedCurve: string) =>
  lineOf(generateKeyPairSync('ec', { namedCurve }).publicKey);
export const dsa = (bits: number) =>
  lineOf(generateKeyPairSync('dsa', { modulusLength: bits, divisorLength: 160 }).publicKey);

/** A new key pair in OpenSSH's form. That of `ssh2` lacks leading zero bytes, which one key in 250 has. */
export function newKeyPair(): { public: string; private: string } {
  const key = sshpk.generatePrivateKey('ed25519');
  return { public: key.toPublic().toString('ssh'), private: key.toString('openssh') };
}

/** A public key in OpenSSH's form, without a comment. */
export function lineOf(key: KeyObject): string {
  const pem = key.export({ type: 'spki', format: 'pem' });
  return sshpk.parseKey(pem, 'pem').toString('ssh').split(' ', 2).join(' ');
}

/** The 32 bytes of an ed25519 public key. */
export const publicBytes = (key: KeyObject): Buffer =>
  key.export({ type: 'spki', format: 'der' }).subarray(-32);

/** An ed25519 key pair whose public part begins with a zero byte, as one in 256 does. */
export function withLeadingZero(): KeyPairKeyObjectResult {
  for (;;) {
    const pair = generateKeyPairSync('ed25519');
    if (publicBytes(pair.publicKey)[0] === 0) return pair;
  }
}

/** One field of a key's data: its length and its bytes. */
export function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
