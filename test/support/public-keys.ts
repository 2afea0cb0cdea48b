import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import sshpk from 'sshpk';

/** New public keys in OpenSSH's form, without a comment, by their types. */
export const newKey = () => lineOf(generateKeyPairSync('ed25519').publicKey);
export const rsa = (bits: number) =>
  lineOf(generateKeyPairSync('rsa', { modulusLength: bits }).publicKey);
export const ec = (namedCurve: string) =>
  lineOf(generateKeyPairSync('ec', { namedCurve }).publicKey);
export const dsa = (bits: number) =>
  lineOf(generateKeyPairSync('dsa', { modulusLength: bits, divisorLength: 160 }).publicKey);

function lineOf(key: KeyObject): string {
  const pem = key.export({ type: 'spki', format: 'pem' });
  return sshpk.parseKey(pem, 'pem').toString('ssh').split(' ', 2).join(' ');
}
