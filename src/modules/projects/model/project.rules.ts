import anyAscii from 'any-ascii';
import { isValidBranchName } from '../../../git/index.js';
import { violatedUnique } from '../../../platform/database/index.js';
import { type FieldTexts, invalidRecord } from '../../../platform/errors/index.js';
import type { Namespace } from '../../groups/index.js';
import {
  type ApplicationSettings,
  highestUnrestricted,
  isRestricted,
  visibilityName,
} from '../../settings/index.js';
import type { Project } from './project.entity.js';

export type ProjectSwitches = Pick<
  Project,
  | 'issuesEnabled'
  | 'mergeRequestsEnabled'
  | 'wikiEnabled'
  | 'buildsEnabled'
  | 'snippetsEnabled'
  | 'containerRegistryEnabled'
  | 'sharedRunnersEnabled'
  | 'publicBuilds'
  | 'lfsEnabled'
  | 'requestAccessEnabled'
  | 'onlyAllowMergeIfBuildSucceeds'
  | 'onlyAllowMergeIfAllDiscussionsAreResolved'
>;

/** The fields that creating and updating a project share. */
export interface ProjectSettings {
  description?: string | null | undefined;
  visibilityLevel?: number | undefined;
  /** The address to copy the repository from. */
  importUrl?: string | undefined;
  switches: Partial<ProjectSwitches>;
}

export interface CreateProjectInput extends ProjectSettings {
  name: string;
  /** Made from the name when undefined. */
  path?: string | undefined;
  /** The caller's personal namespace when undefined. */
  namespaceId?: number | undefined;
  /** The branch that the first commit makes the default one; `master` when undefined. */
  initialBranch?: string | undefined;
}

export interface ProjectChanges extends ProjectSettings {
  name?: string | undefined;
  path?: string | undefined;
  defaultBranch?: string | undefined;
}

const MAX_LENGTH = 255;
const MAX_DESCRIPTION = 2000;

const NAME =
  /^[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}_][\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{200D}\u{FE0F}\p{Dash_Punctuation}_. ]*$/u;
const NAME_TEXT =
  "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.";

const PATH = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;
const PATH_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'";

/**
 * Paths that the service's own addresses below a namespace need, in lower case; reserved in any case
 * (docs/reference/projects.md#reserved-paths).
 */
const RESERVED_PATHS = new Set(
  `.well-known all blame blob commits create create_dir edit files find_file groups hooks issues
   logs_tree merge_requests new preview projects raw repository robots.txt s snippets teams tree u
   unsubscribes update uploads users wikis`.split(/\s+/),
);

/** Error texts by field; empty when the record is valid. */
export type FieldErrors = Record<string, string[]>;

/** The texts of a project that rules apply to. */
interface ProjectTexts {
  name: string;
  path: string;
  description: string | null;
}

/** Makes a path from a name: ASCII, lower case, and one dash for each run of other characters. */
export function pathFromName(name: string): string {
  const path = anyAscii(name.slice(0, MAX_LENGTH))
    .toLowerCase()
    .replace(/[^a-z0-9_.]+/g, '-')
    .replace(/^[-.]+/, '');
  let end = path.length;
  while (path[end - 1] === '-' || path[end - 1] === '.') end -= 1;
  return path.slice(0, end);
}

/** Returns a valid name and path that are as close to a text as the rules allow; null if there are none. */
export function namesOf(text: string): { name: string; path: string } | null {
  const path = [text, pathFromName(text)].find((each) => pathErrors(each).length === 0);
  if (path === undefined) return null;
  return { name: nameErrors(text).length === 0 ? text : path, path };
}

/** Validates the texts of a project by the rules of docs/reference/projects.md#names. */
export function projectErrors({ name, path, description }: ProjectTexts): FieldErrors {
  const errors = {
    name: nameErrors(name),
    path: pathErrors(path),
    description: lengthErrors(description ?? '', MAX_DESCRIPTION),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, texts]) => texts.length > 0));
}

/** Whether a branch that exists has a name that the default branch may have. */
export const canBeDefaultBranch = (name: string): boolean =>
  lengthErrors(name, MAX_LENGTH).length === 0;

/** Validates the name of a default branch, also of one that does not exist yet. */
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
  if (RESERVED_PATHS.has(path.toLowerCase())) return [`${path} is a reserved name`];
  const wellFormed = PATH.test(path) && !/^\.{1,2}$/.test(path) && !/\.(git|atom)$/i.test(path);
  return [...lengthErrors(path, MAX_LENGTH), ...(wellFormed ? [] : [PATH_TEXT])];
}

function lengthErrors(text: string, maximum: number): string[] {
  return [...text].length > maximum
    ? [`is too long (maximum is ${String(maximum)} characters)`]
    : [];
}

export const TAKEN = ['has already been taken'];

/** The unique indexes of projects, with the fields that violate them. */
const UNIQUE_FIELDS: ReadonlyMap<string, 'name' | 'path'> = new Map([
  ['projects_name_key', 'name'],
  ['projects_path_key', 'path'],
]);

/** Returns the errors for the fields that are taken in a namespace. */
export function takenErrors(taken: { name: boolean; path: boolean }): FieldTexts {
  return {
    ...(taken.name ? { name: TAKEN } : {}),
    ...(taken.path ? { path: TAKEN } : {}),
  };
}

/**
 * Maps a unique violation to field errors; null for any other failure. A fallback: writers check for taken
 * fields under the namespace lock; older versions do not lock for a name change.
 */
export function takenFieldsOf(error: unknown): FieldTexts | null {
  const field = UNIQUE_FIELDS.get(violatedUnique(error) ?? '');
  return field === undefined ? null : { [field]: TAKEN };
}

/** Runs a write, and reports a name or path that a unique index refuses as an invalid record. */
export async function refuseTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const taken = takenFieldsOf(error);
    throw taken === null ? error : invalidRecord(taken);
  }
}

/**
 * What limits the visibility of a project (docs/reference/projects.md#visibility and
 * docs/reference/settings.md#visibility-of-new-projects-and-groups).
 */
interface VisibilityLimits {
  caller: { admin: boolean };
  namespace: Pick<Namespace, 'ownerId' | 'visibilityLevel'>;
  settings: Pick<ApplicationSettings, 'restrictedVisibilityLevels'>;
  /** The level of the fork's source; undefined when the project is not a fork. */
  sourceLevel?: number | undefined;
}

/** Returns why a project may not have a visibility level; empty when it may. */
export function visibilityErrors(level: number, limits: VisibilityLimits): string[] {
  const { caller, namespace, settings, sourceLevel = Infinity } = limits;
  const name = visibilityName(level);
  const group = visibilityName(namespace.visibilityLevel);
  return [
    ...(isRestricted(level, caller, settings)
      ? [`${name} has been restricted by your administrator`]
      : []),
    ...(level > highestLevelIn(namespace) ? [`${name} is not allowed in a ${group} group.`] : []),
    ...(level > sourceLevel
      ? [`${name} is not allowed since the fork source project has lower visibility.`]
      : []),
  ];
}

/** Returns the same by field, for a level that may be absent. */
export function levelErrors(level: number | undefined, limits: VisibilityLimits): FieldErrors {
  const errors = level === undefined ? [] : visibilityErrors(level, limits);
  return errors.length === 0 ? {} : { visibility_level: errors };
}

/** Returns the highest allowed level that is not above the wanted one. */
export function loweredVisibility(
  wanted: number,
  { caller, namespace, settings, sourceLevel = Infinity }: VisibilityLimits,
): number {
  const level = Math.min(wanted, highestLevelIn(namespace), sourceLevel);
  return highestUnrestricted(level, caller, settings);
}

/** Personal namespaces have no limit. */
function highestLevelIn({ ownerId, visibilityLevel }: VisibilityLimits['namespace']): number {
  return ownerId === null ? visibilityLevel : Infinity;
}
