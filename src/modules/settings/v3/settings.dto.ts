import {
  BooleanParam,
  IntegerListParam,
  IntegerParam,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import { CLEARABLE, DOMAINS, TEXT, URL_TEXT } from '../setting-params.js';
import type { SettingsChanges } from '../settings.rules.js';
import { protectionOfNumber, visibilityOfNumber } from './setting-numbers.js';

const VISIBILITY = {
  description: '0 private, 1 internal, 2 public; 10 and 20 are read as 1 and 2.',
};

/** `PUT /application/settings`. */
export class UpdateSettingsDto {
  @IntegerParam()
  default_projects_limit?: number;

  @BooleanParam()
  signup_enabled?: boolean;

  @BooleanParam({ description: 'False: only administrators sign in by password.' })
  signin_enabled?: boolean;

  @BooleanParam({ aliases: ['gravatar_enabled'] })
  avatar_service_enabled?: boolean;

  @StringParam(TEXT)
  sign_in_text?: string | null;

  @StringParam(TEXT)
  after_sign_up_text?: string | null;

  @StringParam(URL_TEXT)
  home_page_url?: string | null;

  @IntegerParam({ description: '0 none, 1 developers may push, 2 full.' })
  default_branch_protection?: number;

  @IntegerListParam({ ...CLEARABLE, ...VISIBILITY })
  restricted_visibility_levels?: number[] | null;

  @IntegerParam({ description: 'MiB of one upload.' })
  max_attachment_size?: number;

  @IntegerParam({ description: 'Minutes.' })
  session_expire_delay?: number;

  @IntegerParam(VISIBILITY)
  default_project_visibility?: number;

  @IntegerParam(VISIBILITY)
  default_snippet_visibility?: number;

  @IntegerParam({ ...CLEARABLE, ...VISIBILITY })
  default_group_visibility?: number | null;

  @StringListParam(DOMAINS)
  domain_whitelist?: string[] | null;

  @BooleanParam()
  domain_blacklist_enabled?: boolean;

  @StringListParam(DOMAINS)
  domain_blacklist?: string[] | null;

  @BooleanParam()
  user_oauth_applications?: boolean;

  @StringParam(URL_TEXT)
  after_sign_out_path?: string | null;

  @IntegerParam({ description: 'Minutes.' })
  container_registry_token_expire_delay?: number;

  @StringListParam({ ...CLEARABLE, description: 'Where new projects go, chosen at random.' })
  repository_storages?: string[] | null;

  @StringParam({ blank: 'absent', description: 'Replaces `repository_storages` by this one.' })
  repository_storage?: string;

  @StringParam({ ...CLEARABLE, description: '`ssh` or `http`; null for both.' })
  enabled_git_access_protocol?: string | null;

  @BooleanParam({ aliases: ['koding_enabled'] })
  integration_enabled?: boolean;

  @StringParam({ ...URL_TEXT, aliases: ['koding_url'] })
  integration_url?: string | null;
}

export function toSettingsChanges(body: UpdateSettingsDto): SettingsChanges {
  return {
    defaultProjectsLimit: body.default_projects_limit,
    signupEnabled: body.signup_enabled,
    signinEnabled: body.signin_enabled,
    avatarServiceEnabled: body.avatar_service_enabled,
    signInText: body.sign_in_text,
    afterSignUpText: body.after_sign_up_text,
    homePageUrl: body.home_page_url,
    defaultBranchProtection: convertGiven(body.default_branch_protection, protectionOfNumber),
    restrictedVisibilityLevels: convertGiven(body.restricted_visibility_levels, (levels) =>
      levels.map(visibilityOfNumber),
    ),
    maxAttachmentSize: body.max_attachment_size,
    sessionExpireDelay: body.session_expire_delay,
    defaultProjectVisibility: convertGiven(body.default_project_visibility, visibilityOfNumber),
    defaultSnippetVisibility: convertGiven(body.default_snippet_visibility, visibilityOfNumber),
    defaultGroupVisibility: convertGiven(body.default_group_visibility, visibilityOfNumber),
    domainWhitelist: body.domain_whitelist,
    domainBlacklistEnabled: body.domain_blacklist_enabled,
    domainBlacklist: body.domain_blacklist,
    userOauthApplications: body.user_oauth_applications,
    afterSignOutPath: body.after_sign_out_path,
    containerRegistryTokenExpireDelay: body.container_registry_token_expire_delay,
    repositoryStorages: body.repository_storages,
    repositoryStorage: body.repository_storage,
    enabledGitAccessProtocol: body.enabled_git_access_protocol,
    integrationEnabled: body.integration_enabled,
    integrationUrl: body.integration_url,
  };
}

/** Converts a value unless it is null or undefined. */
function convertGiven<Given, Converted>(
  given: Given,
  convert: (value: NonNullable<Given>) => Converted,
): Converted | Extract<Given, null | undefined> {
  return given === null || given === undefined
    ? (given as Extract<Given, null | undefined>)
    : convert(given);
}
