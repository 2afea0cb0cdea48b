import type {
  DomainError,
  FieldProblem,
  FieldProblems,
  FieldRule,
} from '../platform/errors/index.js';
import { storageLimitText } from '../modules/storage/quota/storage-limit-text.js';

type RuleText = string | ((problem: FieldProblem) => string);

const USER_NAME_FORM =
  "can contain only letters, digits, '_', '-' and '.', and cannot start with '-' or end in '.', '.git' or '.atom'";

/** Each rule of a field in the words of the command line, after the name of the field. */
const RULES: Readonly<Record<FieldRule, RuleText>> = {
  'above-group': 'is above that of the group',
  'above-source': 'is above that of the source of the fork',
  'after-due-date': 'is not before the due date',
  'below-projects': 'is below that of a project of the group',
  blank: "can't be blank",
  'domain-not-allowed': 'is not from an allowed domain',
  'domain-not-authorized': 'is not from an allowed domain',
  'empty-blacklist': 'is empty, but enabled',
  'group-name-form': "can contain only letters, digits, '_', '.', dash and space",
  'group-path-form': USER_NAME_FORM,
  invalid: 'is invalid',
  'last-administrator': 'cannot be removed from the last administrator',
  missing: 'does not exist',
  negative: 'must be greater than or equal to 0',
  'no-namespace': 'is not valid',
  'not-a-color': 'must be a valid color code',
  'not-a-key': 'cannot be generated',
  'not-a-url': 'must be a valid URL',
  'not-a-visibility': ({ value }) => `has no level ${String(value)}`,
  'not-an-asset-address': 'is not an address of http, https or ftp',
  'not-an-import-address': 'is not a valid URL',
  'not-included': 'is not included in the list',
  'not-positive': 'must be greater than 0',
  'project-name-form':
    "can contain only letters, digits, emojis, '_', '.', dash and space, and must start with a letter, digit, emoji or '_'",
  'project-path-form':
    "can contain only letters, digits, '_', '-' and '.', and cannot start with '-' or end in '.git' or '.atom'",
  'repository-not-empty': 'is not allowed unless the repository is empty',
  reserved: ({ value }) => `${String(value)} is a reserved name`,
  'restricted-visibility': 'is restricted by the settings',
  'several-lines': 'should be a single line',
  taken: 'has already been taken',
  'too-long': ({ limit }) => `is too long (maximum is ${String(limit)} characters)`,
  'too-many': ({ limit }) => `are too many (maximum is ${String(limit)})`,
  'too-short': ({ limit }) => `is too short (minimum is ${String(limit)} characters)`,
  'unknown-storages': ({ value }) => `can't include ${String(value)}`,
  'username-form': USER_NAME_FORM,
};

const TAKEN = { email: 'Email', username: 'Username' } as const;

/** Words a refusal for the operator; of invalid fields one text for each problem. */
export function refusalTexts({ detail }: DomainError): readonly string[] {
  switch (detail.code) {
    case 'invalid-fields':
      return textsOfFields(detail.fields);
    case 'not-found':
      return [`${inWords(detail.resource)} not found`];
    case 'record-not-found':
      return [`${inWords(detail.record)} not found`];
    case 'account-taken':
      return [`${TAKEN[detail.field]} has already been taken`];
    case 'directory-blocked':
      return ['A directory has blocked the account.'];
    case 'invalid-hook-url':
      return ['Invalid url given'];
    case 'project-limit-reached':
      return [`The project limit of the account is reached: the limit is ${String(detail.limit)}.`];
    case 'storage-limit':
      return [storageLimitText(detail.sizes)];
    case 'invalid-parameter':
    case 'unsupported-media-type':
      return [detail.text];
    default:
      // Codes and reasons are words with hyphens, and what the command line does meets few of them.
      return [('reason' in detail ? detail.reason : undefined) ?? detail.code].map(inWords);
  }
}

const inWords = (name: string): string => name.replaceAll('-', ' ');

const textsOfFields = (fields: FieldProblems): string[] =>
  Object.entries(fields).flatMap(([field, problems]) =>
    problems.map((problem) => `${inSpacedWords(field)} ${textOf(problem)}`),
  );

function textOf(problem: FieldProblem): string {
  const text = RULES[problem.rule];
  return typeof text === 'string' ? text : text(problem);
}

/** `projectsLimit`: `projects limit`. */
const inSpacedWords = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
