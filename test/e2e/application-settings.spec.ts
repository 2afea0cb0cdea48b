import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Person } from '../support/factories.js';
import { asForm, DEFAULTS, FRAME, OTHERS, type Settings } from '../support/settings-values.js';
import { Trellis } from '../support/trellis.js';

const PATH = '/application/settings';

describe('/application/settings', () => {
  let folder: string;
  let trellis: Trellis;
  let admin: Person;
  let person: Person;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-storages-'));
    trellis = await Trellis.start({ env: { REPOSITORY_STORAGES: `fast=${folder}` } });
    admin = await trellis.factories.admin();
    person = await trellis.factories.user();
  });
  beforeEach(async () => {
    await trellis.rows('DELETE FROM application_settings');
    await trellis.rows('INSERT INTO application_settings (id) VALUES (1)');
  });
  afterAll(async () => {
    await trellis.stop();
    await rm(folder, { recursive: true });
  });

  const read = async (): Promise<Settings> =>
    (await trellis.as(admin).get(PATH).expect(200)).body as Settings;
  const change = async (body: object): Promise<Settings> =>
    (await trellis.as(admin).put(PATH, body).expect(200)).body as Settings;
  const refuse = async (body: object): Promise<unknown> =>
    (await trellis.as(admin).put(PATH, body).expect(400)).body;
  const form = async (fields: string): Promise<Settings> => {
    const sent = trellis.as(admin).call('put', PATH).type('form').send(fields);
    return (await sent.expect(200)).body as Settings;
  };

  it('takes a credential', async () => {
    for (const verb of ['get', 'put'] as const) {
      const answer = await trellis.anonymous.call(verb, PATH).expect(401);
      expect(answer.body).toEqual({ message: '401 Unauthorized' });
    }
  });

  it('is for administrators, before anything else is looked at', async () => {
    await trellis.as(person).get(PATH).expect(403, { message: '403 Forbidden' });
    const nonsense = { default_projects_limit: 'many' };
    await trellis.as(person).put(PATH, nonsense).expect(403, { message: '403 Forbidden' });
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
    expect(await refuse(body)).toEqual({ error });
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
    expect(await refuse(body)).toEqual({ message });
  });

  it('names all that is wrong at once, and applies nothing', async () => {
    const before = await read();
    const answer = await refuse({
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
    expect(await read()).toEqual(before);
  });

  it('has every field, with the default of the specification', async () => {
    expect(await read()).toEqual({ ...FRAME, ...DEFAULTS });
  });

  it.each(Object.entries(OTHERS).filter(([field]) => !/_enabled$|^repository/.test(field)))(
    'changes %s alone, to %j and back',
    async (field, value) => {
      expect(await change({ [field]: value })).toEqual({ ...FRAME, ...DEFAULTS, [field]: value });
      expect(await read()).toMatchObject({ [field]: value });
      const restored = await change({ [field]: DEFAULTS[field] });
      expect(restored).toEqual({ ...FRAME, ...DEFAULTS });
    },
  );

  it('changes everything at once, as JSON and as form fields', async () => {
    expect(await change(OTHERS)).toEqual({ ...FRAME, ...OTHERS });
    expect(await read()).toEqual({ ...FRAME, ...OTHERS });
    expect(await change(DEFAULTS)).toEqual({ ...FRAME, ...DEFAULTS });
    expect(await form(asForm(OTHERS))).toEqual({ ...FRAME, ...OTHERS });
    expect(await form(asForm(DEFAULTS))).toEqual({ ...FRAME, ...DEFAULTS });
  });
});
