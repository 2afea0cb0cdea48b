import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import type { ApplicationSettings } from './application-settings.entity.js';
import type { SettingsView } from './settings.view.js';

@Injectable()
export class SettingsPresenter {
  constructor(private readonly config: Config) {}

  present(settings: ApplicationSettings): SettingsView {
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
      default_branch_protection: settings.defaultBranchProtection,
      restricted_visibility_levels: settings.restrictedVisibilityLevels,
      max_attachment_size: settings.maxAttachmentSize,
      session_expire_delay: settings.sessionExpireDelay,
      default_project_visibility: settings.defaultProjectVisibility,
      default_snippet_visibility: settings.defaultSnippetVisibility,
      default_group_visibility: settings.defaultGroupVisibility,
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
      ...this.aliases(settings),
    };
  }

  /** The older names of docs/reference/conventions.md#renamed-fields. */
  private aliases(settings: ApplicationSettings): Partial<SettingsView> {
    if (this.config.http.statusProfile !== 'gitlab') return {};
    return {
      gravatar_enabled: settings.avatarServiceEnabled,
      koding_enabled: settings.integrationEnabled,
      koding_url: settings.integrationUrl,
    };
  }
}
