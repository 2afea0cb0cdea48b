import striptags from 'striptags';
import { hasUserNameForm, RESERVED_USER_NAMES } from '../../platform/config/index.js';
import type { FieldTexts } from '../../platform/errors/index.js';
import type { UpdateUserInput } from './user-input.js';

const MAX_LENGTH = 255;
const MIN_PASSWORD = 8;
const MAX_PASSWORD = 128;

const USERNAME_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
const BLANK = "can't be blank";

/** Something on both sides of one `@`; blanks and invisible characters nowhere. */
const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** The texts that are limited in length only, by the names that clients know. */
const TEXTS = {
  messenger: 'messenger',
  professionalProfile: 'professional_profile',
  microblog: 'microblog',
  websiteUrl: 'website_url',
  organization: 'organization',
  bio: 'bio',
  location: 'location',
} as const satisfies Partial<Record<keyof UpdateUserInput, string>>;

/** The input as it is stored: no HTML in name and handles, the e-mail in lower case (5.15). */
export function cleaned<Input extends UpdateUserInput>(input: Input): Input {
  return {
    ...input,
    name: plain(input.name),
    messenger: plain(input.messenger),
    professionalProfile: plain(input.professionalProfile),
    microblog: plain(input.microblog),
    email: input.email?.toLowerCase(),
  };
}

/** What is wrong with the given fields, by the rules of open points 5.15; empty when nothing is. */
export function userErrors(input: UpdateUserInput): FieldTexts {
  const errors = {
    email: errorsOf(input.email, emailErrors),
    password: errorsOf(input.password, passwordErrors),
    username: errorsOf(input.username, usernameErrors),
    name: errorsOf(input.name, nameErrors),
    projects_limit: errorsOf(input.projectsLimit, limitErrors),
    extern_uid: errorsOf(input.identity?.externUid, lengthErrors),
    provider: errorsOf(input.identity?.provider, lengthErrors),
    ...Object.fromEntries(
      Object.entries(TEXTS).map(([key, field]) => [
        field,
        errorsOf(input[key as keyof typeof TEXTS], lengthErrors),
      ]),
    ),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, texts]) => texts.length > 0));
}

/** What is wrong with an address, of whatever kind. */
export function emailErrors(email: string): string[] {
  if (email.trim() === '') return [BLANK];
  return [...lengthErrors(email), ...(EMAIL.test(email) ? [] : ['is invalid'])];
}

/** What is wrong with a text that must not be blank. */
export function nameErrors(name: string): string[] {
  return name.trim() === '' ? [BLANK] : lengthErrors(name);
}

function errorsOf<Value>(
  value: Value | null | undefined,
  rule: (value: Value) => string[],
): string[] {
  return value === undefined || value === null ? [] : rule(value);
}

function usernameErrors(username: string): string[] {
  if (username.trim() === '') return [BLANK];
  if (RESERVED_USER_NAMES.has(username)) return [`${username} is a reserved name`];
  const tooLong = lengthErrors(username);
  if (tooLong.length > 0) return tooLong;
  return hasUserNameForm(username) ? [] : [USERNAME_TEXT];
}

function passwordErrors(password: string): string[] {
  if (password === '') return [BLANK];
  const length = [...password].length;
  if (length < MIN_PASSWORD) {
    return [`is too short (minimum is ${String(MIN_PASSWORD)} characters)`];
  }
  return length > MAX_PASSWORD
    ? [`is too long (maximum is ${String(MAX_PASSWORD)} characters)`]
    : [];
}

function limitErrors(limit: number): string[] {
  return limit < 0 ? ['must be greater than or equal to 0'] : [];
}

function lengthErrors(text: string): string[] {
  return [...text].length > MAX_LENGTH
    ? [`is too long (maximum is ${String(MAX_LENGTH)} characters)`]
    : [];
}

function plain<Text extends string | null | undefined>(text: Text): Text {
  return (typeof text === 'string' ? striptags(text) : text) as Text;
}
