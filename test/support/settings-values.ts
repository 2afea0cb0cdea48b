/** The fields of `/application/settings`, by name. */
export type Settings = Record<string, unknown>;

/** What a new instance answers, besides `FRAME`. */
export const DEFAULTS: Settings = {
  default_projects_limit: 10,
  signup_enabled: true,
  signin_enabled: true,
  avatar_service_enabled: true,
  sign_in_text: null,
  after_sign_up_text: null,
  home_page_url: null,
  default_branch_protection: 2,
  restricted_visibility_levels: null,
  max_attachment_size: 10,
  session_expire_delay: 10_080,
  default_project_visibility: 0,
  default_snippet_visibility: 0,
  default_group_visibility: null,
  domain_whitelist: null,
  domain_blacklist_enabled: false,
  domain_blacklist: [],
  user_oauth_applications: true,
  after_sign_out_path: null,
  container_registry_token_expire_delay: 5,
  repository_storages: ['default'],
  repository_storage: 'default',
  enabled_git_access_protocol: null,
  integration_enabled: false,
  integration_url: null,
};

/** Another valid value for every field. */
export const OTHERS: Settings = {
  default_projects_limit: 0,
  signup_enabled: false,
  signin_enabled: false,
  avatar_service_enabled: false,
  sign_in_text: 'Willkommen, 世界',
  after_sign_up_text: 'Thanks',
  home_page_url: 'https://example.com/start?a=1',
  default_branch_protection: 1,
  restricted_visibility_levels: [0, 2],
  max_attachment_size: 25,
  session_expire_delay: 0,
  default_project_visibility: 1,
  default_snippet_visibility: 2,
  default_group_visibility: 0,
  domain_whitelist: ['example.com', '*.corp.test'],
  domain_blacklist_enabled: true,
  domain_blacklist: ['bad.test', 'worse.test'],
  user_oauth_applications: false,
  after_sign_out_path: 'http://example.com/bye',
  container_registry_token_expire_delay: 1,
  repository_storages: ['fast', 'default'],
  repository_storage: 'fast',
  enabled_git_access_protocol: 'http',
  integration_enabled: true,
  integration_url: 'https://integration.example.com',
};

/** The fields that nobody sets. */
export const FRAME = {
  id: 1,
  created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
  updated_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
};

/** Form fields as clients write them: lists element by element, null as nothing. */
export function asForm(settings: Settings): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) {
    if (!Array.isArray(value)) fields.append(name, textOf(value));
    else if (value.length === 0) fields.append(name, '');
    else for (const element of value) fields.append(`${name}[]`, textOf(element));
  }
  return fields.toString();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '').replaceAll('"', '');
}
