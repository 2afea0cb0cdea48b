import type { Client } from '../../support/client.js';
import { SETTINGS, SettingsInstance } from '../../support/settings-instance.js';
import { FRAME } from '../../support/settings-values.js';

/** What a new instance answers, besides `FRAME`. */
const DEFAULTS = {
  default_projects_limit: 10,
  signup_enabled: true,
  password_authentication_enabled_for_web: true,
  password_authentication_enabled_for_git: true,
  password_authentication_enabled: true,
  signin_enabled: true,
  gravatar_enabled: true,
  sign_in_text: null,
  after_sign_up_text: null,
  home_page_url: null,
  default_branch_protection: 2,
  restricted_visibility_levels: [],
  max_attachment_size: 10,
  session_expire_delay: 10_080,
  default_project_visibility: 'private',
  default_snippet_visibility: 'private',
  default_group_visibility: 'public',
  domain_allowlist: [],
  domain_denylist_enabled: false,
  domain_denylist: [],
  user_oauth_applications: true,
  after_sign_out_path: null,
  container_registry_token_expire_delay: 5,
  repository_storages: ['default'],
  repository_storages_weighted: { default: 100 },
  enabled_git_access_protocol: null,
};

describe('settings of version 4', () => {
  let settings: SettingsInstance;
  let admin: Client;

  beforeAll(async () => {
    settings = await SettingsInstance.start();
    admin = settings.admin.v4;
  });
  beforeEach(() => settings.reset());
  afterAll(() => settings.stop());

  const refuse = async (body: object) =>
    (await admin.put(SETTINGS, body).expect(400)).body as unknown;

  it('are for administrators', async () => {
    const { trellis } = settings;
    const person = trellis.as(await trellis.factories.user()).v4;
    for (const verb of ['get', 'put'] as const) {
      await trellis.anonymous.v4.call(verb, SETTINGS).expect(401);
      await person.call(verb, SETTINGS).expect(403);
    }
  });

  it('are shown in the spelling of version 4', async () => {
    expect((await admin.get(SETTINGS).expect(200)).body).toEqual({ ...FRAME, ...DEFAULTS });
  });

  it('are changed in both versions at once, each in its spelling', async () => {
    const changes = {
      password_authentication_enabled_for_web: false,
      gravatar_enabled: false,
      default_branch_protection: 1,
      restricted_visibility_levels: ['private', 'public'],
      default_project_visibility: 'internal',
      default_snippet_visibility: 'public',
      default_group_visibility: 'private',
      domain_allowlist: ['example.com', '*.corp.test'],
      domain_denylist_enabled: true,
      domain_denylist: ['bad.test'],
      repository_storages: ['fast', 'default'],
      enabled_git_access_protocol: 'http',
    };
    const answer = await admin.put(SETTINGS, changes).expect(200);
    expect(answer.body).toEqual({
      ...FRAME,
      ...DEFAULTS,
      ...changes,
      password_authentication_enabled_for_git: false,
      password_authentication_enabled: false,
      signin_enabled: false,
      repository_storages_weighted: { fast: 100, default: 100 },
    });
    expect(await settings.read()).toMatchObject({
      signin_enabled: false,
      avatar_service_enabled: false,
      default_branch_protection: 1,
      restricted_visibility_levels: [0, 2],
      default_project_visibility: 1,
      default_snippet_visibility: 2,
      default_group_visibility: 0,
      domain_whitelist: ['example.com', '*.corp.test'],
      domain_blacklist: ['bad.test'],
      repository_storages: ['fast', 'default'],
      enabled_git_access_protocol: 'http',
    });
    await settings.change({ default_project_visibility: 20, signin_enabled: true });
    expect((await admin.get(SETTINGS).expect(200)).body).toMatchObject({
      default_project_visibility: 'public',
      password_authentication_enabled_for_web: true,
    });
  });

  it('take back their own answer, old names, and texts with commas', async () => {
    const { body } = await admin.get(SETTINGS).expect(200);
    const same = await admin.put(SETTINGS, body as object).expect(200);
    expect(same.body).toEqual(body);
    const form = admin.call('put', SETTINGS).type('form');
    const sent = await form.send(
      'signin_enabled=false&domain_denylist=a.test,+b.test&restricted_visibility_levels=public' +
        '&enabled_git_access_protocol=all',
    );
    expect(sent.body).toMatchObject({
      password_authentication_enabled_for_web: false,
      domain_denylist: ['a.test', 'b.test'],
      restricted_visibility_levels: ['public'],
      enabled_git_access_protocol: null,
    });
    const cleared = { restricted_visibility_levels: [], domain_denylist: null };
    expect((await admin.put(SETTINGS, cleared).expect(200)).body).toMatchObject({
      restricted_visibility_levels: [],
      domain_denylist: [],
    });
  });

  it('refuse what is none of their values, and nothing at all', async () => {
    expect(await refuse({ default_project_visibility: 20 })).toEqual({
      error: 'default_project_visibility does not have a valid value',
    });
    expect(await refuse({ default_branch_protection: 3 })).toEqual({
      error: 'default_branch_protection does not have a valid value',
    });
    expect(await refuse({ restricted_visibility_levels: ['secret'] })).toEqual({
      message: {
        restricted_visibility_levels: ["'secret' is not a valid visibility level"],
      },
    });
    expect(await refuse({ domain_denylist_enabled: true })).toEqual({
      message: {
        domain_denylist: ['Domain denylist cannot be empty if denylist is enabled.'],
      },
    });
    expect(await refuse({ max_attachment_size: 0, repository_storages: ['absent'] })).toEqual({
      message: {
        max_attachment_size: ['must be greater than 0'],
        repository_storages: ["can't include: absent"],
      },
    });
    expect(await refuse({})).toEqual({
      error: expect.stringMatching(/at least one parameter must be provided$/) as string,
    });
  });
});
