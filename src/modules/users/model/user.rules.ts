import striptags from 'striptags';
import { hasUserNameForm, isReservedUserName } from '../../../platform/config/index.js';
import type { FieldTexts } from '../../../platform/errors/index.js';
import type { ApplicationSettings } from '../../settings/index.js';

/** The fields of an account besides name, address and password. Null clears a text. */
export interface ProfileInput {
  messenger?: string | null | undefined;
  professionalProfile?: string | null | undefined;
  microblog?: string | null | undefined;
  websiteUrl?: string | null | undefined;
  organization?: string | null | undefined;
  bio?: string | null | undefined;
  location?: string | null | undefined;
  /** When absent on creation: `default_projects_limit` of the settings. */
  projectsLimit?: number | undefined;
  /** The account at an external provider. */
  identity?: { provider: string; externUid: string } | undefined;
  admin?: boolean | undefined;
  canCreateGroup?: boolean | undefined;
  external?: boolean | undefined;
}

export interface CreateUserInput extends ProfileInput {
  username: string;
  name: string;
  email: string;
  password: string;
  /** Random when absent. */
  privateToken?: string;
}

/** Absent fields stay as they are. */
export interface UpdateUserInput extends ProfileInput {
  username?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
}

type DomainLists = Pick<
  ApplicationSettings,
  'domainWhitelist' | 'domainBlacklistEnabled' | 'domainBlacklist'
>;

const MAX_LENGTH = 255;
const MIN_PASSWORD = 8;
const MAX_PASSWORD = 128;

const USERNAME_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
const BLANK = "can't be blank";

/** Text on both sides of one `@`, without blanks and invisible characters. */
const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** The texts whose only rule is their length, with their names in the API. */
const TEXTS = {
  messenger: 'messenger',
  professionalProfile: 'professional_profile',
  microblog: 'microblog',
  websiteUrl: 'website_url',
  organization: 'organization',
  bio: 'bio',
  location: 'location',
} as const satisfies Partial<Record<keyof UpdateUserInput, string>>;

/** Strips HTML from name and handles, and puts the e-mail into lower case. */
export function sanitizeUser<Input extends UpdateUserInput>(input: Input): Input {
  return {
    ...input,
    name: stripHtml(input.name),
    messenger: stripHtml(input.messenger),
    professionalProfile: stripHtml(input.professionalProfile),
    microblog: stripHtml(input.microblog),
    email: input.email?.toLowerCase(),
  };
}

/**
 * Validates the fields that are present by the rules of docs/reference/users.md#rules.
 * @returns the error texts by field, empty when all are valid
 */
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

/** Validates the fields of a new account, whose e-mail domain has to be allowed by the settings. */
export function newUserErrors(input: CreateUserInput, settings: DomainLists): FieldTexts {
  const errors = userErrors(input);
  const refusal = domainRefusal(input.email, settings);
  return errors['email'] !== undefined || refusal === undefined
    ? errors
    : { ...errors, email: [refusal] };
}

/** Validates a primary or secondary address. */
export function emailErrors(email: string): string[] {
  if (email.trim() === '') return [BLANK];
  return [...lengthErrors(email), ...(EMAIL.test(email) ? [] : ['is invalid'])];
}

/** Validates the length of a text that must not be blank. */
export function nameErrors(name: string): string[] {
  return name.trim() === '' ? [BLANK] : lengthErrors(name);
}

/**
 * Applies the domain lists of the settings to the address of a new account. A whitelist that is not empty
 * decides alone.
 * @returns the error text, undefined when the domain is allowed
 */
export function domainRefusal(email: string, settings: DomainLists): string | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const isListed = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesPattern(domain, pattern));
  const whitelist = settings.domainWhitelist ?? [];
  if (whitelist.length > 0) {
    return isListed(whitelist) ? undefined : 'domain is not authorized for sign-up';
  }
  if (!settings.domainBlacklistEnabled || !isListed(settings.domainBlacklist)) return undefined;
  return 'is not from an allowed domain.';
}

/** Whether a whole domain matches a pattern, in any case; `*` matches any run of characters. */
export function matchesPattern(domain: string, pattern: string): boolean {
  const text = domain.toLowerCase();
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  // The first match of each piece leaves the most text to the following ones, so none other is tried.
  let position = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  return text.length - position >= last.length && text.endsWith(last);
}

function errorsOf<Value>(
  value: Value | null | undefined,
  rule: (value: Value) => string[],
): string[] {
  return value === undefined || value === null ? [] : rule(value);
}

function usernameErrors(username: string): string[] {
  if (username.trim() === '') return [BLANK];
  if (isReservedUserName(username)) return [`${username} is a reserved name`];
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

function stripHtml<Text extends string | null | undefined>(text: Text): Text {
  return (typeof text === 'string' ? striptags(text) : text) as Text;
}
