import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem, FieldProblems } from '../../platform/errors/index.js';
import { VISIBILITIES, type Visibility } from '../authorization/index.js';
import { type ApplicationSettings, BRANCH_PROTECTIONS } from './application-settings.entity.js';

/** Validates one field of new settings: its problems, empty when it is valid. */
type Rule = (settings: ApplicationSettings) => readonly FieldProblem[];

const PROTOCOLS = ['ssh', 'http', null];
const LIST_LENGTH = 65_536;

const unless = (holds: boolean, problem: FieldProblem): readonly FieldProblem[] =>
  holds ? [] : [problem];

const isBlank = (text: string | null): boolean => text === null || text.trim() === '';

/** Values of requests may be none of the type. */
function visibilities(values: readonly (Visibility | null)[] | null): readonly FieldProblem[] {
  return (values ?? [])
    .filter((value) => value !== null)
    .filter((value) => !VISIBILITIES.includes(value))
    .map((value) => ({ rule: 'not-a-visibility', value }));
}

function webAddress(text: string | null): readonly FieldProblem[] {
  const holds = text === null || (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text));
  return unless(holds, { rule: 'not-a-url' });
}

const shortEnough = (list: readonly string[] | null): readonly FieldProblem[] =>
  unless((list ?? []).join().length <= LIST_LENGTH, { rule: 'too-long', limit: LIST_LENGTH });

const notNegative = (value: number): readonly FieldProblem[] =>
  unless(value >= 0, { rule: 'negative' });

const positive = (value: number): readonly FieldProblem[] =>
  unless(value > 0, { rule: 'not-positive' });

const notIncluded: FieldProblem = { rule: 'not-included' };

/** The rules by the field whose problems they find. */
const RULES: Readonly<Partial<Record<keyof ApplicationSettings, Rule>>> = {
  defaultProjectsLimit: (s) => notNegative(s.defaultProjectsLimit),
  homePageUrl: (s) => webAddress(s.homePageUrl),
  defaultBranchProtection: (s) =>
    unless(BRANCH_PROTECTIONS.includes(s.defaultBranchProtection), notIncluded),
  restrictedVisibilityLevels: (s) => visibilities(s.restrictedVisibilityLevels),
  maxAttachmentSize: (s) => positive(s.maxAttachmentSize),
  sessionExpireDelay: (s) => notNegative(s.sessionExpireDelay),
  defaultProjectVisibility: (s) => visibilities([s.defaultProjectVisibility]),
  defaultSnippetVisibility: (s) => visibilities([s.defaultSnippetVisibility]),
  defaultGroupVisibility: (s) => visibilities([s.defaultGroupVisibility]),
  domainWhitelist: (s) => shortEnough(s.domainWhitelist),
  domainBlacklist: (s) => [
    ...unless(!s.domainBlacklistEnabled || s.domainBlacklist.length > 0, {
      rule: 'empty-blacklist',
    }),
    ...shortEnough(s.domainBlacklist),
  ],
  afterSignOutPath: (s) => webAddress(s.afterSignOutPath),
  containerRegistryTokenExpireDelay: (s) => positive(s.containerRegistryTokenExpireDelay),
  enabledGitAccessProtocol: (s) =>
    unless(PROTOCOLS.includes(s.enabledGitAccessProtocol), notIncluded),
  integrationUrl: (s) =>
    unless(!s.integrationEnabled || !isBlank(s.integrationUrl), { rule: 'blank' }),
};

/** Validates new settings except the storages: the problems by field. */
export const settingsProblems = (settings: ApplicationSettings): FieldProblems =>
  Object.fromEntries(Object.entries(RULES).map(([field, rule]) => [field, rule(settings)]));

/**
 * Validates the storages of new projects.
 * @param known the configured storages and the currently stored ones, which clients may send back
 */
export function storageProblems(
  names: readonly string[],
  known: ReadonlySet<string>,
): readonly FieldProblem[] {
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) return [{ rule: 'unknown-storages', value: unknown.join(', ') }];
  return unless(names.length > 0, { rule: 'blank' });
}

type Field = Exclude<keyof ApplicationSettings, 'id' | 'createdAt' | 'updatedAt'>;

/** The defaults of the list fields that cannot be null. */
const LIST_DEFAULTS = { domainBlacklist: [], repositoryStorages: ['default'] };

type ListWithDefault = keyof typeof LIST_DEFAULTS;

/** New values by field. Undefined ones stay as they are, null resets a field to its default. */
export type SettingsChanges = {
  [F in Field]?: ApplicationSettings[F] | undefined | (F extends ListWithDefault ? null : never);
} & {
  /** The first of `repositoryStorages`; a new one replaces them all. */
  repositoryStorage?: string | undefined;
};

/** Returns the values of those fields that are given and differ from the current ones. */
export function changedValues(
  current: ApplicationSettings,
  { repositoryStorage, ...changes }: SettingsChanges,
): Partial<ApplicationSettings> {
  const given = {
    ...changes,
    restrictedVisibilityLevels:
      changes.restrictedVisibilityLevels && unique(changes.restrictedVisibilityLevels),
    domainBlacklist: orDefault('domainBlacklist', changes.domainBlacklist),
    repositoryStorages: storages(current, repositoryStorage, changes.repositoryStorages),
  };
  const isNew = ([field, value]: [string, unknown]) =>
    value !== undefined && !isDeepStrictEqual(value, Reflect.get(current, field));
  return Object.fromEntries(Object.entries(given).filter(isNew));
}

/**
 * Clients that send back all settings give both `repository_storage` and `repository_storages`: the one
 * that differs counts, the list when both do.
 */
function storages(
  current: ApplicationSettings,
  first: string | undefined,
  list: string[] | null | undefined,
): string[] | undefined {
  const given = orDefault('repositoryStorages', list);
  if (given === undefined) return first === undefined ? undefined : [first];
  const asked = unique(given);
  if (first === undefined) return asked;
  const isEcho = asked.join() === current.repositoryStorages.join();
  return isEcho && first !== asked[0] ? [first] : asked;
}

function orDefault(field: ListWithDefault, list: string[] | null | undefined) {
  return list === null ? [...LIST_DEFAULTS[field]] : list;
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
