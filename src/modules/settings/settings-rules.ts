import type { FieldTexts } from '../../platform/errors/index.js';
import type { ApplicationSettings } from './application-settings.entity.js';

/** What is wrong with one field of the settings as they would be; empty when nothing is. */
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

/** The rules of open points 09, by the field that they are told under. */
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

/** All that is wrong with settings that would be stored; storages are `storageErrors`' business. */
export function settingsErrors(settings: ApplicationSettings): FieldTexts {
  const errors = Object.entries(RULES).map(([field, rule]) => [field, rule(settings)] as const);
  return Object.fromEntries(errors.filter(([, texts]) => texts.length > 0));
}

/**
 * What is wrong with the storages that new projects are to go to.
 * @param known the configured ones, and those stored already: what was read may be sent back
 */
export function storageErrors(
  names: readonly string[],
  known: ReadonlySet<string>,
): readonly string[] {
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) return [`can't include: ${unknown.join(', ')}`];
  return unless(names.length > 0, "can't be blank");
}
