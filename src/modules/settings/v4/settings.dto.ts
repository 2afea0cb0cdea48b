import { isDeepStrictEqual } from 'node:util';
import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IntegerParam,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import { VISIBILITIES, type Visibility } from '../../authorization/index.js';
import { BRANCH_PROTECTIONS } from '../application-settings.entity.js';
import { CLEARABLE, DOMAINS, TEXT, URL_TEXT } from '../setting-params.js';
import type { SettingsChanges } from '../settings.rules.js';
import type { V4SettingsView } from './settings.view.js';

const BOTH_PROTOCOLS = 'all';

/** `PUT /application/settings`; at least one parameter is required. */
@AtLeastOneOf()
export class V4UpdateSettingsDto {
  @IntegerParam()
  default_projects_limit?: number;

  @BooleanParam()
  signup_enabled?: boolean;

  @BooleanParam({
    aliases: ['password_authentication_enabled', 'signin_enabled'],
    description: 'False: only administrators sign in by password, also over Git.',
  })
  password_authentication_enabled_for_web?: boolean;

  @BooleanParam()
  gravatar_enabled?: boolean;

  @StringParam(TEXT)
  sign_in_text?: string | null;

  @StringParam(TEXT)
  after_sign_up_text?: string | null;

  @StringParam(URL_TEXT)
  home_page_url?: string | null;

  @EnumParam([0, 1, 2], { description: '0 none, 1 developers may push, 2 full.' })
  default_branch_protection?: 0 | 1 | 2;

  @StringListParam({ ...CLEARABLE, description: '`private`, `internal`, `public`.' })
  restricted_visibility_levels?: Visibility[] | null;

  @IntegerParam({ description: 'MiB of one upload.' })
  max_attachment_size?: number;

  @IntegerParam({ description: 'Minutes.' })
  session_expire_delay?: number;

  @EnumParam(VISIBILITIES)
  default_project_visibility?: Visibility;

  @EnumParam(VISIBILITIES)
  default_snippet_visibility?: Visibility;

  @EnumParam(VISIBILITIES)
  default_group_visibility?: Visibility;

  @StringListParam(DOMAINS)
  domain_allowlist?: string[] | null;

  @BooleanParam()
  domain_denylist_enabled?: boolean;

  @StringListParam(DOMAINS)
  domain_denylist?: string[] | null;

  @BooleanParam()
  user_oauth_applications?: boolean;

  @StringParam(URL_TEXT)
  after_sign_out_path?: string | null;

  @IntegerParam({ description: 'Minutes.' })
  container_registry_token_expire_delay?: number;

  @StringListParam({ ...CLEARABLE, description: 'Where new projects go, chosen at random.' })
  repository_storages?: string[] | null;

  @StringParam({ ...CLEARABLE, description: '`ssh`, `http`, or `all` for both.' })
  enabled_git_access_protocol?: string | null;
}

/**
 * Leaves out parameters that are what is shown: a client that sends back what it has read changes nothing, although null is shown
 * as the value that it means.
 */
export function changedParameters(
  body: V4UpdateSettingsDto,
  shown: V4SettingsView,
): V4UpdateSettingsDto {
  const changed = Object.entries(body).filter(
    ([name, value]) => !isDeepStrictEqual(value, Reflect.get(shown, name)),
  );
  return Object.fromEntries(changed);
}

export function toV4SettingsChanges(body: V4UpdateSettingsDto): SettingsChanges {
  const { default_branch_protection: protection, enabled_git_access_protocol: protocol } = body;
  return {
    defaultProjectsLimit: body.default_projects_limit,
    signupEnabled: body.signup_enabled,
    signinEnabled: body.password_authentication_enabled_for_web,
    avatarServiceEnabled: body.gravatar_enabled,
    signInText: body.sign_in_text,
    afterSignUpText: body.after_sign_up_text,
    homePageUrl: body.home_page_url,
    defaultBranchProtection: protection === undefined ? undefined : BRANCH_PROTECTIONS[protection],
    restrictedVisibilityLevels: body.restricted_visibility_levels,
    maxAttachmentSize: body.max_attachment_size,
    sessionExpireDelay: body.session_expire_delay,
    defaultProjectVisibility: body.default_project_visibility,
    defaultSnippetVisibility: body.default_snippet_visibility,
    defaultGroupVisibility: body.default_group_visibility,
    domainWhitelist: body.domain_allowlist,
    domainBlacklistEnabled: body.domain_denylist_enabled,
    domainBlacklist: body.domain_denylist,
    userOauthApplications: body.user_oauth_applications,
    afterSignOutPath: body.after_sign_out_path,
    containerRegistryTokenExpireDelay: body.container_registry_token_expire_delay,
    repositoryStorages: body.repository_storages,
    enabledGitAccessProtocol: protocol === BOTH_PROTOCOLS ? null : protocol,
  };
}
