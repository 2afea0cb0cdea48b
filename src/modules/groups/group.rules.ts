import { hasUserNameForm, isReservedUserName } from '../../platform/config/index.js';

const MAX_LENGTH = 255;
const MAX_DESCRIPTION = 2000;

const NAME = /^[\p{L}\p{M}\p{N}\p{Pd}_. ]+$/u;
const NAME_TEXT = "can contain only letters, digits, '_', '.', dash and space.";
const PATH_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";

/** Error texts by field; empty when the record is valid. */
export type FieldErrors = Record<string, string[]>;

/** The texts of a group; undefined ones are not validated. */
interface GroupTexts {
  name?: string | undefined;
  path?: string | undefined;
  description?: string | undefined;
}

/** Validates the texts of a group by the rules of docs/reference/groups.md#names. */
export function groupErrors({ name, path, description = '' }: GroupTexts): FieldErrors {
  const errors = {
    name: name === undefined ? [] : nameErrors(name),
    path: path === undefined ? [] : pathErrors(path),
    description: lengthErrors(description, MAX_DESCRIPTION),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, texts]) => texts.length > 0));
}

function nameErrors(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return [...lengthErrors(name, MAX_LENGTH), ...(NAME.test(name) ? [] : [NAME_TEXT])];
}

function pathErrors(path: string): string[] {
  if (path.trim() === '') return ["can't be blank"];
  if (isReservedUserName(path)) return [`${path} is a reserved name`];
  const tooLong = lengthErrors(path, MAX_LENGTH);
  return tooLong.length > 0 || hasUserNameForm(path) ? tooLong : [PATH_TEXT];
}

function lengthErrors(text: string, maximum: number): string[] {
  return [...text].length > maximum
    ? [`is too long (maximum is ${String(maximum)} characters)`]
    : [];
}
