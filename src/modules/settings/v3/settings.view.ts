import type { StatusProfile } from '../../../platform/http/index.js';
import type { ApplicationSettings } from '../application-settings.entity.js';
import { numberOfProtection, numberOfVisibility } from './setting-numbers.js';

/** The settings of the instance. */
export class SettingsView {
  id!: number;
  created_at!: Date;
  updated_at!: Date;
  default_projects_limit!: number;
  signup_enabled!: boolean;
  signin_enabled!: boolean;
  avatar_service_enabled!: boolean;
  sign_in_text!: string | null;
  after_sign_up_text!: string | null;
  home_page_url!: string | null;
  /** 0 none, 1 developers may push, 2 full. */
  default_branch_protection!: number;
  /** 0 private, 1 internal, 2 public: only administrators may choose these. */
  restricted_visibility_levels!: number[] | null;
  /** MiB. */
  max_attachment_size!: number;
  /** Minutes. */
  session_expire_delay!: number;
  /** 0, 1, 2. */
  default_project_visibility!: number;
  /** 0, 1, 2. */
  default_snippet_visibility!: number;
  /** 0, 1, 2; null is public. */
  default_group_visibility!: number | null;
  domain_whitelist!: string[] | null;
  domain_blacklist_enabled!: boolean;
  domain_blacklist!: string[];
  user_oauth_applications!: boolean;
  after_sign_out_path!: string | null;
  /** Minutes. */
  container_registry_token_expire_delay!: number;
  repository_storages!: string[];
  /** The first of `repository_storages`. */
  repository_storage!: string;
  /** `ssh`, `http`, or null for both. */
  enabled_git_access_protocol!: string | null;
  integration_enabled!: boolean;
  integration_url!: string | null;
  /** Alias of `avatar_service_enabled`, in the `gitlab` profile only. */
  gravatar_enabled?: boolean;
  /** Alias of `integration_enabled`, in the `gitlab` profile only. */
  koding_enabled?: boolean;
  /** Alias of `integration_url`, in the `gitlab` profile only. */
  koding_url?: string | null;
}

export function presentSettings(
  settings: ApplicationSettings,
  profile: StatusProfile,
): SettingsView {
  return {
    id: settings.id,
    created_at: settings.createdAt,
    updated_at: settings.updatedAt,
    default_projects_limit: settings.defaultProjectsLimit,
    signup_enabled: settings.signupEnabled,
    signin_enabled: settings.signinEnabled,
    avatar_service_enabled: settings.avatarServiceEnabled,
    sign_in_text: settings.signInText,
    after_sign_up_text: settings.afterSignUpText,
    home_page_url: settings.homePageUrl,
    default_branch_protection: numberOfProtection(settings.defaultBranchProtection),
    restricted_visibility_levels:
      settings.restrictedVisibilityLevels?.map(numberOfVisibility) ?? null,
    max_attachment_size: settings.maxAttachmentSize,
    session_expire_delay: settings.sessionExpireDelay,
    default_project_visibility: numberOfVisibility(settings.defaultProjectVisibility),
    default_snippet_visibility: numberOfVisibility(settings.defaultSnippetVisibility),
    default_group_visibility:
      settings.defaultGroupVisibility && numberOfVisibility(settings.defaultGroupVisibility),
    domain_whitelist: settings.domainWhitelist,
    domain_blacklist_enabled: settings.domainBlacklistEnabled,
    domain_blacklist: settings.domainBlacklist,
    user_oauth_applications: settings.userOauthApplications,
    after_sign_out_path: settings.afterSignOutPath,
    container_registry_token_expire_delay: settings.containerRegistryTokenExpireDelay,
    repository_storages: settings.repositoryStorages,
    repository_storage: settings.repositoryStorages[0] ?? 'default',
    enabled_git_access_protocol: settings.enabledGitAccessProtocol,
    integration_enabled: settings.integrationEnabled,
    integration_url: settings.integrationUrl,
    ...(profile === 'gitlab' ? aliases(settings) : {}),
  };
}

/** The older names of docs/reference/conventions.md#renamed-fields. */
function aliases(settings: ApplicationSettings): Partial<SettingsView> {
  return {
    gravatar_enabled: settings.avatarServiceEnabled,
    koding_enabled: settings.integrationEnabled,
    koding_url: settings.integrationUrl,
  };
}
