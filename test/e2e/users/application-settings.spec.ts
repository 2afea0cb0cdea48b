import type { Person } from '../../support/factories.js';
import { SETTINGS, SettingsInstance } from '../../support/settings-instance.js';
import { asForm, DEFAULTS, FRAME, OTHERS } from '../../support/settings-values.js';

describe('/application/settings', () => {
  let settings: SettingsInstance;
  let person: Person;

  beforeAll(async () => {
    settings = await SettingsInstance.start();
    person = await settings.trellis.factories.user();
  });
  beforeEach(() => settings.reset());
  afterAll(() => settings.stop());

  it('requires a credential', async () => {
    for (const verb of ['get', 'put'] as const) {
      const answer = await settings.trellis.anonymous.call(verb, SETTINGS).expect(401);
      expect(answer.body).toEqual({ message: '401 Unauthorized' });
    }
  });

  it('checks for an administrator first', async () => {
    await settings.trellis.as(person).get(SETTINGS).expect(403, { message: '403 Forbidden' });
    const nonsense = { default_projects_limit: 'many' };
    await settings.trellis
      .as(person)
      .put(SETTINGS, nonsense)
      .expect(403, { message: '403 Forbidden' });
  });

  it.each([
    [{ default_projects_limit: 'many' }, 'default_projects_limit is invalid'],
    [{ max_attachment_size: 1.5 }, 'max_attachment_size is invalid'],
    [{ max_attachment_size: 4_294_967_296 }, 'max_attachment_size is invalid'],
    [{ signin_enabled: 'perhaps' }, 'signin_enabled is invalid'],
    [{ gravatar_enabled: [] }, 'avatar_service_enabled is invalid'],
    [{ sign_in_text: { a: 1 } }, 'sign_in_text is invalid'],
    [{ sign_in_text: 'a\0b' }, 'sign_in_text is invalid'],
    [{ restricted_visibility_levels: ['public'] }, 'restricted_visibility_levels is invalid'],
    [{ default_group_visibility: 'public' }, 'default_group_visibility is invalid'],
    [{ domain_blacklist: { a: 1 } }, 'domain_blacklist is invalid'],
    [{ repository_storages: [['default']] }, 'repository_storages is invalid'],
    [
      { sign_in_text: 'x'.repeat(65_537) },
      'sign_in_text is too long (maximum is 65536 characters)',
    ],
    [
      { signup_enabled: 2, session_expire_delay: 'x' },
      'signup_enabled is invalid, session_expire_delay is invalid',
    ],
  ])('refuses values of another type: %j', async (body, error) => {
    expect(await settings.refuse(body)).toEqual({ error });
  });

  const notUrl = ['must be a valid URL'];
  it.each([
    [{ default_projects_limit: -1 }, ['must be greater than or equal to 0']],
    [{ session_expire_delay: -1 }, ['must be greater than or equal to 0']],
    [{ max_attachment_size: 0 }, ['must be greater than 0']],
    [{ container_registry_token_expire_delay: '0' }, ['must be greater than 0']],
    [{ default_branch_protection: 3 }, ['is not included in the list']],
    [{ enabled_git_access_protocol: 'HTTP' }, ['is not included in the list']],
    [{ default_project_visibility: 7 }, ["'7' is not a valid visibility level"]],
    [{ default_snippet_visibility: 3 }, ["'3' is not a valid visibility level"]],
    [{ default_group_visibility: -1 }, ["'-1' is not a valid visibility level"]],
    [
      { restricted_visibility_levels: [7, 1, 30] },
      ["'7' is not a valid visibility level", "'3' is not a valid visibility level"],
    ],
    [{ home_page_url: 'example.com' }, notUrl],
    [{ home_page_url: 'https://' }, notUrl],
    [{ home_page_url: ' ' }, notUrl],
    [{ after_sign_out_path: 'javascript:alert(1)' }, notUrl],
    [
      { domain_blacklist_enabled: true },
      { domain_blacklist: ['Domain blacklist cannot be empty if Blacklist is enabled.'] },
    ],
    [{ integration_enabled: true }, { integration_url: ["can't be blank"] }],
    [{ integration_enabled: true, integration_url: ' ' }, { integration_url: ["can't be blank"] }],
    [{ repository_storages: ['default', 'slow', 'big'] }, ["can't include: slow, big"]],
    [{ repository_storages: [] }, ["can't be blank"]],
    [{ repository_storages: 'Default' }, ["can't include: Default"]],
    [{ repository_storage: '../x' }, ["can't include: ../x"]],
    [{ repository_storage: 'constructor' }, ["can't include: constructor"]],
    [{ domain_whitelist: ['x'.repeat(70_000)] }, ['is too long (maximum is 65536 characters)']],
  ])('refuses values that break a rule: %j', async (body, texts) => {
    const message = Array.isArray(texts) ? { [Object.keys(body)[0] ?? '']: texts } : texts;
    expect(await settings.refuse(body)).toEqual({ message });
  });

  it('reports all errors at once, and applies nothing', async () => {
    const before = await settings.read();
    const answer = await settings.refuse({
      sign_in_text: 'not to be kept',
      max_attachment_size: 0,
      home_page_url: 'x',
      restricted_visibility_levels: [9],
    });
    expect(answer).toEqual({
      message: {
        max_attachment_size: ['must be greater than 0'],
        home_page_url: notUrl,
        restricted_visibility_levels: ["'9' is not a valid visibility level"],
      },
    });
    expect(await settings.read()).toEqual(before);
  });

  it('returns every field, with its documented default', async () => {
    expect(await settings.read()).toEqual({ ...FRAME, ...DEFAULTS });
  });

  it.each(Object.entries(OTHERS).filter(([field]) => !/_enabled$|^repository/.test(field)))(
    'updates only %s, to %j and back',
    async (field, value) => {
      expect(await settings.change({ [field]: value })).toEqual({
        ...FRAME,
        ...DEFAULTS,
        [field]: value,
      });
      expect(await settings.read()).toMatchObject({ [field]: value });
      const restored = await settings.change({ [field]: DEFAULTS[field] });
      expect(restored).toEqual({ ...FRAME, ...DEFAULTS });
    },
  );

  it('updates all fields at once, as JSON and as form fields', async () => {
    expect(await settings.change(OTHERS)).toEqual({ ...FRAME, ...OTHERS });
    expect(await settings.read()).toEqual({ ...FRAME, ...OTHERS });
    expect(await settings.change(DEFAULTS)).toEqual({ ...FRAME, ...DEFAULTS });
    expect(await settings.changeByForm(asForm(OTHERS))).toEqual({ ...FRAME, ...OTHERS });
    expect(await settings.changeByForm(asForm(DEFAULTS))).toEqual({ ...FRAME, ...DEFAULTS });
  });
});
