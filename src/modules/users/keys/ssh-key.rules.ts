import {
  type DomainError,
  type FieldTexts,
  invalidRecord,
} from '../../../platform/errors/index.js';
import { nameErrors } from '../user.rules.js';
import { fingerprintOf } from './public-key.js';

const MAX_LENGTH = 5_000;

/** What is to be stored of a key. */
export interface SoundKey {
  readonly title: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** A key to be stored, or what is wrong with it. */
export type KeyDraft = SoundKey | { readonly errors: FieldTexts };

/** Fingerprints are unique over the keys of accounts and deploy keys. */
export function fingerprintTaken(): DomainError {
  return invalidRecord({ fingerprint: ['has already been taken'] });
}

export function draftKey(title: string, given: string): KeyDraft {
  const key = given.trim();
  const titleErrors = nameErrors(title);
  const errors = titleErrors.length > 0 ? { title: titleErrors } : {};
  const form = formError(key);
  if (form !== undefined) return { errors: { ...errors, key: [form] } };
  const fingerprint = fingerprintOf(key);
  if (fingerprint === null) {
    return { errors: { ...errors, key: ['is invalid'], fingerprint: ['cannot be generated'] } };
  }
  return titleErrors.length > 0 ? { errors } : { title, key, fingerprint };
}

function formError(key: string): string | undefined {
  if (key === '') return "can't be blank";
  if (/[\r\n]/.test(key)) return 'should be a single line';
  return [...key].length > MAX_LENGTH
    ? `is too long (maximum is ${String(MAX_LENGTH)} characters)`
    : undefined;
}
