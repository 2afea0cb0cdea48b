import anyAscii from 'any-ascii';
import { isValidBranchName } from '../../../git/index.js';
import { violatedUnique } from '../../../platform/database/index.js';
import {
  type FieldProblem,
  type FieldProblems,
  invalidFields,
} from '../../../platform/errors/index.js';
import { isMoreVisible, leastVisible, type Visibility } from '../../authorization/index.js';
import type { Namespace } from '../../groups/index.js';
import {
  type ApplicationSettings,
  highestUnrestricted,
  isRestricted,
} from '../../settings/index.js';
import type { Project } from './project.entity.js';
import type { UniqueProjectField } from './refusals.js';

/** What can be switched, and chosen, in a project. */
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
  | 'mergeMethod'
  | 'squashOption'
  | 'approvalsBeforeMerge'
  | 'resetApprovalsOnPush'
>;

/** The fields that creating and updating a project share. */
export interface ProjectSettings {
  description?: string | null | undefined;
  visibility?: Visibility | undefined;
  topics?: readonly string[] | undefined;
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
  /** Whether the repository begins with a commit of a README; of no account with an import. */
  withReadme?: boolean;
}

export interface ProjectChanges extends ProjectSettings {
  name?: string | undefined;
  path?: string | undefined;
  defaultBranch?: string | undefined;
}

/** The default branch that the first commit makes where no other name was given. */
export const CONVENTIONAL_BRANCH = 'master';

const MAX_LENGTH = 255;
const MAX_DESCRIPTION = 2000;

/** The most approvals that a project can require. */
export const MAX_REQUIRED_APPROVALS = 100;

/** How many topics a project may have. */
export const MAX_TOPICS = 100;

const NAME =
  /^[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}_][\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{200D}\u{FE0F}\p{Dash_Punctuation}_. ]*$/u;
const NAME_FORM: FieldProblem = { rule: 'project-name-form' };

const PATH = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;
const PATH_FORM: FieldProblem = { rule: 'project-path-form' };

/**
 * Paths that the service's own addresses below a namespace need, in lower case; reserved in any case
 * (docs/reference/projects.md#reserved-paths).
 */
const RESERVED_PATHS = new Set(
  `.well-known all blame blob commits create create_dir edit files find_file groups hooks issues
   logs_tree merge_requests new preview projects raw repository robots.txt s snippets teams tree u
   unsubscribes update uploads users wikis`.split(/\s+/),
);

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
  const path = [text, pathFromName(text)].find((each) => pathProblems(each).length === 0);
  if (path === undefined) return null;
  return { name: nameProblems(text).length === 0 ? text : path, path };
}

/** Validates the texts of a project by the rules of docs/reference/projects.md#names. */
export function projectProblems({ name, path, description }: ProjectTexts): FieldProblems {
  const problems: FieldProblems = {
    name: nameProblems(name),
    path: pathProblems(path),
    description: lengthProblems(description ?? '', MAX_DESCRIPTION),
  };
  return Object.fromEntries(Object.entries(problems).filter(([, found]) => found.length > 0));
}

/** Whether a branch that exists has a name that the default branch may have. */
export const canBeDefaultBranch = (name: string): boolean =>
  lengthProblems(name, MAX_LENGTH).length === 0;

/** Validates the name of a default branch, also of one that does not exist yet. */
export function branchProblems(name: string): FieldProblems {
  const problems: readonly FieldProblem[] = isValidBranchName(name)
    ? lengthProblems(name, MAX_LENGTH)
    : [{ rule: 'invalid' }];
  return { defaultBranch: problems };
}

/** Validates the topics of a project. */
export function topicProblems(topics: readonly string[] = []): FieldProblems {
  if (topics.length > MAX_TOPICS) return { topics: [{ rule: 'too-many', limit: MAX_TOPICS }] };
  const problems = topics.flatMap((name) => [
    ...lengthProblems(name, MAX_LENGTH),
    ...(/[\r\n]/.test(name) ? [{ rule: 'invalid' } as const] : []),
  ]);
  return problems.length === 0 ? {} : { topics: problems.slice(0, 1) };
}

function nameProblems(name: string): FieldProblem[] {
  if (name.trim() === '') return [{ rule: 'blank' }];
  return [...lengthProblems(name, MAX_LENGTH), ...(NAME.test(name) ? [] : [NAME_FORM])];
}

function pathProblems(path: string): FieldProblem[] {
  if (path.trim() === '') return [{ rule: 'blank' }];
  if (RESERVED_PATHS.has(path.toLowerCase())) return [{ rule: 'reserved', value: path }];
  const wellFormed = PATH.test(path) && !/^\.{1,2}$/.test(path) && !/\.(git|atom)$/i.test(path);
  return [...lengthProblems(path, MAX_LENGTH), ...(wellFormed ? [] : [PATH_FORM])];
}

function lengthProblems(text: string, limit: number): FieldProblem[] {
  return [...text].length > limit ? [{ rule: 'too-long', limit }] : [];
}

/** The unique indexes of projects, with the fields that violate them. */
const UNIQUE_FIELDS: ReadonlyMap<string, UniqueProjectField> = new Map([
  ['projects_name_key', 'name'],
  ['projects_path_key', 'path'],
]);

/** Lists the fields that are taken in a namespace. */
export const takenFields = (
  taken: Readonly<Record<UniqueProjectField, boolean>>,
): UniqueProjectField[] => (['name', 'path'] as const).filter((field) => taken[field]);

/** Returns the problems of fields that are taken. */
export const takenProblems = (fields: readonly UniqueProjectField[]): FieldProblems =>
  Object.fromEntries(fields.map((field) => [field, [{ rule: 'taken' }]]));

/**
 * Returns the field of a unique violation; null for any other failure. A fallback: writers check for taken
 * fields under the namespace lock; older versions do not lock for a name change.
 */
export const takenFieldOf = (error: unknown): UniqueProjectField | null =>
  UNIQUE_FIELDS.get(violatedUnique(error) ?? '') ?? null;

/** Runs a write, and reports a name or path that a unique index refuses as an invalid field. */
export async function refuseTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const taken = takenFieldOf(error);
    throw taken === null ? error : invalidFields(takenProblems([taken]));
  }
}

/**
 * What limits the visibility of a project (docs/reference/projects.md#visibility and
 * docs/reference/settings.md#visibility-of-new-projects-and-groups).
 */
interface VisibilityLimits {
  caller: { admin: boolean };
  namespace: Pick<Namespace, 'ownerId' | 'visibility'>;
  settings: Pick<ApplicationSettings, 'restrictedVisibilityLevels'>;
  /** The visibility of the fork's source; undefined when the project is not a fork. */
  ofSource?: Visibility | undefined;
}

/** Returns why a project may not have a visibility; empty when it may. */
export function visibilityProblems(value: Visibility, limits: VisibilityLimits): FieldProblem[] {
  const { caller, namespace, settings, ofSource = 'public' } = limits;
  const problems: FieldProblem[] = [];
  if (isRestricted(value, caller, settings))
    problems.push({ rule: 'restricted-visibility', value });
  if (isMoreVisible(value, highestIn(namespace))) {
    problems.push({ rule: 'above-group', value, limit: namespace.visibility });
  }
  if (isMoreVisible(value, ofSource)) problems.push({ rule: 'above-source', value });
  return problems;
}

/** Returns the same by field, for a visibility that may be absent. */
export const visibilityFieldProblems = (
  value: Visibility | undefined,
  limits: VisibilityLimits,
): FieldProblems => ({
  visibility: value === undefined ? [] : visibilityProblems(value, limits),
});

/** Returns the highest allowed visibility that is not above the wanted one. */
export function loweredVisibility(
  wanted: Visibility,
  { caller, namespace, settings, ofSource = 'public' }: VisibilityLimits,
): Visibility {
  const limit = leastVisible(wanted, highestIn(namespace), ofSource);
  return highestUnrestricted(limit, caller, settings);
}

/** Personal namespaces have no limit. */
function highestIn({ ownerId, visibility }: VisibilityLimits['namespace']): Visibility {
  return ownerId === null ? visibility : 'public';
}
