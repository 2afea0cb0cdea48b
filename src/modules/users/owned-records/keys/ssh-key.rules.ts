import { createHash, createPublicKey, timingSafeEqual } from 'node:crypto';
import sshpk from 'sshpk';
import {
  type DomainError,
  type FieldProblem,
  type FieldProblems,
  invalidFields,
} from '../../../../platform/errors/index.js';
import { nameProblems } from '../../model/user.rules.js';

const MAX_LENGTH = 5_000;

/** The accepted types of keys, with the least number of bits of those that have a choice. */
const LEAST_BITS: ReadonlyMap<string, number> = new Map([
  ['ssh-rsa', 1024],
  ['ssh-dss', 1024],
  ['ssh-ed25519', 0],
  ['ecdsa-sha2-nistp256', 0],
  ['ecdsa-sha2-nistp384', 0],
  ['ecdsa-sha2-nistp521', 0],
]);

/** Type, data and an optional comment. Options before them, as in `authorized_keys`, do not match. */
const LINE = /^([a-z0-9-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t].*)?$/u;

/** The columns of a valid key. */
export interface ValidSshKey {
  readonly title: string;
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * Validates a public key by the rules of docs/reference/keys.md#rules.
 * @returns the columns to store, or the problems by field
 */
export function validateSshKey(
  title: string,
  given: string,
): ValidSshKey | { readonly problems: FieldProblems } {
  const key = given.trim();
  const problems = { title: nameProblems(title) };
  const problem = lineProblem(key);
  if (problem !== undefined) return { problems: { ...problems, key: [problem] } };
  const fingerprint = fingerprintOfLine(key);
  if (fingerprint === null) {
    const unreadable: FieldProblems = {
      key: [{ rule: 'invalid' }],
      fingerprint: [{ rule: 'not-a-key' }],
    };
    return { problems: { ...problems, ...unreadable } };
  }
  return problems.title.length > 0 ? { problems } : { title, key, fingerprint };
}

/** The refusal of a key whose fingerprint another key of an account or deploy key has. */
export function fingerprintTaken(): DomainError {
  return invalidFields({ fingerprint: [{ rule: 'taken' }] });
}

/** Whether two stored keys are the same, whatever their comments. */
export function isSameKey(line: string, other: string): boolean {
  return keyData(line).equals(keyData(other));
}

/** Whether a stored key has these bytes. An MD5 fingerprint does not prove it: it can be forged. */
export function hasKeyData(line: string, data: Buffer): boolean {
  const stored = keyData(line);
  return stored.length === data.length && timingSafeEqual(stored, data);
}

/** The MD5 fingerprint of a public key in SSH's wire format, in hexadecimal with colons. */
export function fingerprintOfData(data: Buffer): string {
  const pairs = createHash('md5').update(data).digest('hex').match(/../g) ?? [];
  return pairs.join(':');
}

/** The SHA-256 fingerprint of a stored key, as OpenSSH prints it. */
export function sha256FingerprintOf(line: string): string {
  const digest = createHash('sha256').update(keyData(line)).digest('base64');
  return `SHA256:${digest.replaceAll('=', '')}`;
}

function lineProblem(key: string): FieldProblem | undefined {
  if (key === '') return { rule: 'blank' };
  if (/[\r\n]/.test(key)) return { rule: 'several-lines' };
  return [...key].length > MAX_LENGTH ? { rule: 'too-long', limit: MAX_LENGTH } : undefined;
}

/** The MD5 fingerprint of a line; null unless it is a valid key of an accepted type and strength. */
function fingerprintOfLine(line: string): string | null {
  const [, type = '', data = ''] = LINE.exec(line) ?? [];
  const leastBits = LEAST_BITS.get(type);
  if (leastBits === undefined) return null;
  const key = parse(Buffer.from(data, 'base64'));
  if (key === null || key.size < leastBits) return null;
  // Only the canonical spelling is accepted: another one would have a different fingerprint.
  return `${type} ${data}` === key.toString('ssh').split(' ', 2).join(' ')
    ? key.fingerprint('md5').toString('hex')
    : null;
}

/** The bytes of a stored key in SSH's wire format. */
function keyData(line: string): Buffer {
  return Buffer.from(line.split(/[ \t]+/, 2)[1] ?? '', 'base64');
}

function parse(data: Buffer): sshpk.Key | null {
  try {
    const key = sshpk.parseKey(data, 'rfc4253');
    // sshpk reads the numbers only; OpenSSL also checks them, for example that a point is on the curve.
    createPublicKey(key.toString('pkcs8'));
    return key;
  } catch {
    return null;
  }
}
