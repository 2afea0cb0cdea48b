import { isDeepStrictEqual } from 'node:util';
import type { FieldTexts } from '../../platform/errors/index.js';
import type { ApplicationSettings } from './application-settings.entity.js';

/** Validates one field of new settings: its error texts, empty when it is valid. */
type Rule = (settings: ApplicationSettings) => readonly string[];

const VISIBILITIES = [0, 1, 2];
const PROTECTIONS = [0, 1, 2];
const PROTOCOLS = ['ssh', 'http', null];
const LIST_LENGTH = 65_536;

const unless = (holds: boolean, text: string): readonly string[] => (holds ? [] : [text]);

const isBlank = (text: string | null): boolean => text === null || text.trim() === '';

function visibilities(levels: readonly (number | null)[] | null): readonly string[] {
  return (levels ?? [])
    .filter((level) => level !== null && !VISIBILITIES.includes(level))
    .map((level) => `'${String(level)}' is not a valid visibility level`);
}

function webAddress(text: string | null): readonly string[] {
  const holds = text === null || (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text));
  return unless(holds, 'must be a valid URL');
}

const shortEnough = (list: readonly string[] | null): readonly string[] =>
  unless(
    (list ?? []).join().length <= LIST_LENGTH,
    `is too long (maximum is ${String(LIST_LENGTH)} characters)`,
  );

const notNegative = (value: number): readonly string[] =>
  unless(value >= 0, 'must be greater than or equal to 0');

const positive = (value: number): readonly string[] => unless(value > 0, 'must be greater than 0');

const notIncluded = 'is not included in the list';

/** The rules by the field under which their errors are reported. */
const RULES: Readonly<Record<string, Rule>> = {
  default_projects_limit: (s) => notNegative(s.defaultProjectsLimit),
  home_page_url: (s) => webAddress(s.homePageUrl),
  default_branch_protection: (s) =>
    unless(PROTECTIONS.includes(s.defaultBranchProtection), notIncluded),
  restricted_visibility_levels: (s) => visibilities(s.restrictedVisibilityLevels),
  max_attachment_size: (s) => positive(s.maxAttachmentSize),
  session_expire_delay: (s) => notNegative(s.sessionExpireDelay),
  default_project_visibility: (s) => visibilities([s.defaultProjectVisibility]),
  default_snippet_visibility: (s) => visibilities([s.defaultSnippetVisibility]),
  default_group_visibility: (s) => visibilities([s.defaultGroupVisibility]),
  domain_whitelist: (s) => shortEnough(s.domainWhitelist),
  domain_blacklist: (s) => [
    ...unless(
      !s.domainBlacklistEnabled || s.domainBlacklist.length > 0,
      'Domain blacklist cannot be empty if Blacklist is enabled.',
    ),
    ...shortEnough(s.domainBlacklist),
  ],
  after_sign_out_path: (s) => webAddress(s.afterSignOutPath),
  container_registry_token_expire_delay: (s) => positive(s.containerRegistryTokenExpireDelay),
  enabled_git_access_protocol: (s) =>
    unless(PROTOCOLS.includes(s.enabledGitAccessProtocol), notIncluded),
  integration_url: (s) =>
    unless(!s.integrationEnabled || !isBlank(s.integrationUrl), "can't be blank"),
};

/** Validates new settings except the storages: the error texts by field. */
export function settingsErrors(settings: ApplicationSettings): FieldTexts {
  const errors = Object.entries(RULES).map(([field, rule]) => [field, rule(settings)] as const);
  return Object.fromEntries(errors.filter(([, texts]) => texts.length > 0));
}

/**
 * Validates the storages of new projects.
 * @param known the configured storages and the currently stored ones, which clients may send back
 */
export function storageErrors(
  names: readonly string[],
  known: ReadonlySet<string>,
): readonly string[] {
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) return [`can't include: ${unknown.join(', ')}`];
  return unless(names.length > 0, "can't be blank");
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
