import anyAscii from 'any-ascii';
import { isValidBranchName } from '../../git/index.js';

const MAX_LENGTH = 255;
const MAX_DESCRIPTION = 2000;

const NAME =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{M}\p{N}\p{Extended_Pictographic}\u{200D}\u{FE0F}_. -]*$/u;
const NAME_TEXT =
  "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.";

const PATH = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;
const PATH_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'";

/**
 * Paths that the service's own addresses below a namespace need
 * (docs/reference/projects.md#reserved-paths).
 */
const RESERVED_PATHS = new Set(
  `.well-known all blame blob commits create create_dir edit files find_file groups hooks issues
   logs_tree merge_requests new preview projects raw repository robots.txt s snippets teams tree u
   unsubscribes update uploads users wikis`.split(/\s+/),
);

/** What is wrong with a record, by field; empty when nothing is. */
export type FieldErrors = Record<string, string[]>;

/** The path of a project that gives none: ASCII, lower case, runs of anything else one dash. */
export function pathFromName(name: string): string {
  const path = anyAscii(name.slice(0, MAX_LENGTH))
    .toLowerCase()
    .replace(/[^a-z0-9_.]+/g, '-')
    .replace(/^[-.]+/, '');
  let end = path.length;
  while (path[end - 1] === '-' || path[end - 1] === '.') end -= 1;
  return path.slice(0, end);
}

/** Checks the texts of a project by the rules of docs/reference/projects.md#names. */
export function projectErrors(project: {
  name: string;
  path: string;
  description: string | null;
}): FieldErrors {
  const errors = {
    name: nameErrors(project.name),
    path: pathErrors(project.path),
    description: lengthErrors(project.description ?? '', MAX_DESCRIPTION),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, texts]) => texts.length > 0));
}

/** What is wrong with a branch that is yet to be made. */
export function branchErrors(name: string): FieldErrors {
  const texts = isValidBranchName(name) ? lengthErrors(name, MAX_LENGTH) : ['is invalid'];
  return texts.length === 0 ? {} : { default_branch: texts };
}

function nameErrors(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return [...lengthErrors(name, MAX_LENGTH), ...(NAME.test(name) ? [] : [NAME_TEXT])];
}

function pathErrors(path: string): string[] {
  if (path.trim() === '') return ["can't be blank"];
  if (RESERVED_PATHS.has(path)) return [`${path} is a reserved name`];
  const wellFormed = PATH.test(path) && !/^\.{1,2}$/.test(path) && !/\.(git|atom)$/i.test(path);
  return [...lengthErrors(path, MAX_LENGTH), ...(wellFormed ? [] : [PATH_TEXT])];
}

function lengthErrors(text: string, maximum: number): string[] {
  return [...text].length > maximum
    ? [`is too long (maximum is ${String(maximum)} characters)`]
    : [];
}
