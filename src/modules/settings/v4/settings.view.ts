import { ApiProperty } from '../../../platform/http/index.js';
import type { Visibility } from '../../authorization/index.js';
import { type ApplicationSettings, BRANCH_PROTECTIONS } from '../application-settings.entity.js';

/** All storages are chosen alike. */
const WEIGHT = 100;

/** The settings of the instance. */
export class V4SettingsView {
  id!: number;
  created_at!: Date;
  updated_at!: Date;
  default_projects_limit!: number;
  signup_enabled!: boolean;
  /** False: only administrators sign in by password, also over Git. */
  password_authentication_enabled_for_web!: boolean;
  /** The same as `password_authentication_enabled_for_web`. */
  password_authentication_enabled_for_git!: boolean;
  /** The same as `password_authentication_enabled_for_web`. */
  password_authentication_enabled!: boolean;
  /** The same as `password_authentication_enabled_for_web`. */
  signin_enabled!: boolean;
  gravatar_enabled!: boolean;
  sign_in_text!: string | null;
  after_sign_up_text!: string | null;
  home_page_url!: string | null;
  /** 0 none, 1 developers may push, 2 full. */
  default_branch_protection!: number;
  /** Only administrators may choose these. */
  restricted_visibility_levels!: Visibility[];
  /** MiB. */
  max_attachment_size!: number;
  /** Minutes. */
  session_expire_delay!: number;
  default_project_visibility!: Visibility;
  default_snippet_visibility!: Visibility;
  default_group_visibility!: Visibility;
  domain_allowlist!: string[];
  domain_denylist_enabled!: boolean;
  domain_denylist!: string[];
  user_oauth_applications!: boolean;
  after_sign_out_path!: string | null;
  /** Minutes. */
  container_registry_token_expire_delay!: number;
  repository_storages!: string[];
  /** By name, the same number for each of `repository_storages`. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' } })
  repository_storages_weighted!: Record<string, number>;
  /** `ssh`, `http`, or null for both. */
  enabled_git_access_protocol!: string | null;
}

export const presentV4Settings = (settings: ApplicationSettings): V4SettingsView => ({
  id: settings.id,
  created_at: settings.createdAt,
  updated_at: settings.updatedAt,
  default_projects_limit: settings.defaultProjectsLimit,
  signup_enabled: settings.signupEnabled,
  password_authentication_enabled_for_web: settings.signinEnabled,
  password_authentication_enabled_for_git: settings.signinEnabled,
  password_authentication_enabled: settings.signinEnabled,
  signin_enabled: settings.signinEnabled,
  gravatar_enabled: settings.avatarServiceEnabled,
  sign_in_text: settings.signInText,
  after_sign_up_text: settings.afterSignUpText,
  home_page_url: settings.homePageUrl,
  default_branch_protection: BRANCH_PROTECTIONS.indexOf(settings.defaultBranchProtection),
  restricted_visibility_levels: settings.restrictedVisibilityLevels ?? [],
  max_attachment_size: settings.maxAttachmentSize,
  session_expire_delay: settings.sessionExpireDelay,
  default_project_visibility: settings.defaultProjectVisibility,
  default_snippet_visibility: settings.defaultSnippetVisibility,
  default_group_visibility: settings.defaultGroupVisibility ?? 'public',
  domain_allowlist: settings.domainWhitelist ?? [],
  domain_denylist_enabled: settings.domainBlacklistEnabled,
  domain_denylist: settings.domainBlacklist,
  user_oauth_applications: settings.userOauthApplications,
  after_sign_out_path: settings.afterSignOutPath,
  container_registry_token_expire_delay: settings.containerRegistryTokenExpireDelay,
  repository_storages: settings.repositoryStorages,
  repository_storages_weighted: Object.fromEntries(
    settings.repositoryStorages.map((name) => [name, WEIGHT]),
  ),
  enabled_git_access_protocol: settings.enabledGitAccessProtocol,
});
