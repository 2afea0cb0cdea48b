import striptags from 'striptags';
import { hasUserNameForm, isReservedUserName } from '../../../platform/config/index.js';
import type { FieldProblem, FieldProblems } from '../../../platform/errors/index.js';
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

const BLANK: FieldProblem = { rule: 'blank' };

/** Text on both sides of one `@`, without blanks and invisible characters. */
const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** The texts whose only rule is their length. */
const TEXTS = [
  'messenger',
  'professionalProfile',
  'microblog',
  'websiteUrl',
  'organization',
  'bio',
  'location',
] as const satisfies readonly (keyof UpdateUserInput)[];

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
 * @returns the problems by field, empty when all are valid
 */
export function userProblems(input: UpdateUserInput): FieldProblems {
  const problems: FieldProblems = {
    email: problemsOf(input.email, emailProblems),
    password: problemsOf(input.password, passwordProblems),
    username: problemsOf(input.username, usernameProblems),
    name: problemsOf(input.name, nameProblems),
    projectsLimit: problemsOf(input.projectsLimit, limitProblems),
    externUid: problemsOf(input.identity?.externUid, lengthProblems),
    provider: problemsOf(input.identity?.provider, lengthProblems),
    ...Object.fromEntries(TEXTS.map((field) => [field, problemsOf(input[field], lengthProblems)])),
  };
  return Object.fromEntries(Object.entries(problems).filter(([, found]) => found.length > 0));
}

/** Validates the fields of a new account, whose e-mail domain has to be allowed by the settings. */
export function newUserProblems(input: CreateUserInput, settings: DomainLists): FieldProblems {
  const problems = userProblems(input);
  const domain = domainProblem(input.email, settings);
  return problems['email'] !== undefined || domain === undefined
    ? problems
    : { ...problems, email: [domain] };
}

/** Validates a primary or secondary address. */
export function emailProblems(email: string): FieldProblem[] {
  if (email.trim() === '') return [BLANK];
  const problems = lengthProblems(email);
  return EMAIL.test(email) ? problems : [...problems, { rule: 'invalid' }];
}

/** Validates the length of a text that must not be blank. */
export function nameProblems(name: string): FieldProblem[] {
  return name.trim() === '' ? [BLANK] : lengthProblems(name);
}

/**
 * Applies the domain lists of the settings to the address of a new account. A whitelist that is not empty
 * decides alone.
 * @returns undefined when the domain is allowed
 */
export function domainProblem(email: string, settings: DomainLists): FieldProblem | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const isListed = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesPattern(domain, pattern));
  const whitelist = settings.domainWhitelist ?? [];
  if (whitelist.length > 0) {
    return isListed(whitelist) ? undefined : { rule: 'domain-not-authorized' };
  }
  if (!settings.domainBlacklistEnabled || !isListed(settings.domainBlacklist)) return undefined;
  return { rule: 'domain-not-allowed' };
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

function problemsOf<Value>(
  value: Value | null | undefined,
  rule: (value: Value) => FieldProblem[],
): FieldProblem[] {
  return value === undefined || value === null ? [] : rule(value);
}

function usernameProblems(username: string): FieldProblem[] {
  if (username.trim() === '') return [BLANK];
  if (isReservedUserName(username)) return [{ rule: 'reserved', value: username }];
  const tooLong = lengthProblems(username);
  if (tooLong.length > 0) return tooLong;
  return hasUserNameForm(username) ? [] : [{ rule: 'username-form' }];
}

function passwordProblems(password: string): FieldProblem[] {
  if (password === '') return [BLANK];
  const length = [...password].length;
  if (length < MIN_PASSWORD) return [{ rule: 'too-short', limit: MIN_PASSWORD }];
  return length > MAX_PASSWORD ? [{ rule: 'too-long', limit: MAX_PASSWORD }] : [];
}

function limitProblems(limit: number): FieldProblem[] {
  return limit < 0 ? [{ rule: 'negative' }] : [];
}

function lengthProblems(text: string): FieldProblem[] {
  return [...text].length > MAX_LENGTH ? [{ rule: 'too-long', limit: MAX_LENGTH }] : [];
}

function stripHtml<Text extends string | null | undefined>(text: Text): Text {
  return (typeof text === 'string' ? striptags(text) : text) as Text;
}
