import { SETTINGS, SettingsInstance } from '../../support/settings-instance.js';
import { asForm, DEFAULTS, FRAME, OTHERS } from '../../support/settings-values.js';
import { Trellis } from '../../support/trellis.js';

describe('PUT /application/settings', () => {
  let settings: SettingsInstance;

  beforeAll(async () => {
    settings = await SettingsInstance.start();
  });
  beforeEach(() => settings.reset());
  afterAll(() => settings.stop());

  it('accepts its own response, as JSON, as form fields and with joined lists', async () => {
    for (const values of [DEFAULTS, OTHERS]) {
      const echo = await settings.change(values);
      const { updated_at: _, ...unchanged } = echo;
      expect(await settings.change(echo)).toMatchObject(unchanged);
      expect(await settings.changeByForm(asForm(echo))).toMatchObject(unchanged);
      const joined = Object.entries(echo).map(([field, value]) => [
        field,
        Array.isArray(value) ? value.join(',') : value,
      ]);
      expect(await settings.change(Object.fromEntries(joined) as object)).toMatchObject(unchanged);
    }
  });

  it('accepts an empty request, and ignores unknown fields', async () => {
    const before = await settings.read();
    const nothing = { id: 7, created_at: '2001-01-01', updated_at: null, no_such_field: true };
    expect(await settings.change({})).toEqual(before);
    expect(await settings.change(nothing)).toEqual(before);
    const bare = await settings.admin.call('put', SETTINGS).expect(200);
    expect(bare.body).toEqual(before);
  });

  it('restores the default for null and empty strings where a field is nullable', async () => {
    const cleared = Object.keys(OTHERS).filter(
      (field) => DEFAULTS[field] === null || Array.isArray(DEFAULTS[field]),
    );
    expect(cleared).toHaveLength(11);
    for (const nothing of [null, '']) {
      await settings.change({
        ...OTHERS,
        domain_blacklist_enabled: false,
        integration_enabled: false,
      });
      const empty = Object.fromEntries(cleared.map((field) => [field, nothing]));
      const answer = await settings.change(empty);
      for (const field of cleared) expect([field, answer[field]]).toEqual([field, DEFAULTS[field]]);
    }
  });

  it('ignores null and empty strings elsewhere, and accepts 0 and false as values', async () => {
    await settings.change(OTHERS);
    const others = Object.keys(OTHERS).filter(
      (field) => DEFAULTS[field] !== null && !Array.isArray(DEFAULTS[field]),
    );
    for (const nothing of [null, '']) {
      const given = Object.fromEntries(others.map((field) => [field, nothing]));
      expect(await settings.change(given)).toEqual({ ...FRAME, ...OTHERS });
    }
    const kept = await settings.change({
      default_branch_protection: 0,
      user_oauth_applications: '0',
    });
    expect(kept).toMatchObject({ default_branch_protection: 0, user_oauth_applications: false });
  });

  it('accepts the levels of projects as those of settings, and removes duplicates', async () => {
    const given = {
      default_project_visibility: 20,
      default_snippet_visibility: '10',
      default_group_visibility: 20,
      restricted_visibility_levels: [20, 2, '0', 10],
    };
    expect(await settings.change(given)).toMatchObject({
      default_project_visibility: 2,
      default_snippet_visibility: 1,
      default_group_visibility: 2,
      restricted_visibility_levels: [2, 0, 1],
    });
    expect(
      await settings.changeByForm(
        'restricted_visibility_levels[]=10&restricted_visibility_levels[]=0',
      ),
    ).toEqual(expect.objectContaining({ restricted_visibility_levels: [1, 0] }));
    expect(await settings.change({ restricted_visibility_levels: [] })).toMatchObject({
      restricted_visibility_levels: [],
    });
  });

  it('splits domains at commas, semicolons and white space', async () => {
    const given = { domain_whitelist: 'a.test; b.test,c.test\n d.test ;', domain_blacklist: 'x' };
    expect(await settings.change(given)).toMatchObject({
      domain_whitelist: ['a.test', 'b.test', 'c.test', 'd.test'],
      domain_blacklist: ['x'],
    });
  });

  it('accepts one storage instead of the list, whichever of the two changed', async () => {
    const both = { repository_storages: ['default', 'fast'], repository_storage: 'default' };
    expect(await settings.change({ repository_storages: 'default,fast,default' })).toMatchObject(
      both,
    );
    expect(await settings.change(both)).toMatchObject(both);
    const one = { repository_storages: ['fast'], repository_storage: 'fast' };
    expect(await settings.change({ ...both, repository_storage: 'fast' })).toMatchObject(one);
    expect(await settings.change({ ...one, ...both })).toMatchObject(both);
    expect(await settings.change({ repository_storage: 'fast' })).toMatchObject(one);
    expect(await settings.change({ repository_storage: '' })).toMatchObject(one);
    expect(await settings.change({ repository_storages: null })).toMatchObject(DEFAULTS);
  });

  it('accepts storages that are no longer configured, but no unknown ones', async () => {
    await settings.trellis.rows(
      `UPDATE application_settings SET repository_storages = '{gone,default}'`,
    );
    const echo = await settings.read();
    expect(await settings.change(echo)).toMatchObject({ repository_storages: ['gone', 'default'] });
    expect(await settings.refuse({ repository_storages: ['gone', 'away'] })).toEqual({
      message: { repository_storages: ["can't include: away"] },
    });
  });

  it('accepts the older names, which the newer ones override', async () => {
    const older = { gravatar_enabled: false, koding_enabled: true, koding_url: 'https://k.test' };
    expect(await settings.change(older)).toEqual({
      ...FRAME,
      ...DEFAULTS,
      avatar_service_enabled: false,
      integration_enabled: true,
      integration_url: 'https://k.test',
    });
    const both = { gravatar_enabled: false, avatar_service_enabled: true };
    expect(await settings.change(both)).toMatchObject({ avatar_service_enabled: true });
  });

  it('keeps all concurrent changes, and rules on several fields', async () => {
    await Promise.all([
      settings.change({ sign_in_text: 'one' }),
      settings.change({ after_sign_up_text: 'two' }),
      settings.change({ default_projects_limit: 3 }),
      settings.change({ home_page_url: 'http://four.test' }),
    ]);
    expect(await settings.read()).toMatchObject({
      sign_in_text: 'one',
      after_sign_up_text: 'two',
      default_projects_limit: 3,
      home_page_url: 'http://four.test',
    });
    for (let round = 0; round < 5; round += 1) {
      await settings.change({ domain_blacklist: ['x.test'], domain_blacklist_enabled: false });
      const put = (body: object) => settings.admin.put(SETTINGS, body);
      const answers = await Promise.all([
        put({ domain_blacklist_enabled: true }),
        put({ domain_blacklist: [] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  it('moves updated_at only on a change', async () => {
    const before = await settings.read();
    const after = await settings.change({ sign_in_text: 'now' });
    expect(after['created_at']).toBe(before['created_at']);
    expect(Date.parse(String(after['updated_at']))).toBeGreaterThan(
      Date.parse(String(before['updated_at'])),
    );
  });
});

describe('/application/settings for unchanged clients', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { STATUS_PROFILE: 'gitlab' } });
  });
  afterAll(() => trellis.restore());

  it('returns the older names too, and accepts its own response', async () => {
    const admin = trellis.as(await trellis.factories.admin());
    const first = await admin.get(SETTINGS).expect(200);
    const older = { gravatar_enabled: true, koding_enabled: false, koding_url: null };
    expect(first.body).toEqual({ ...FRAME, ...DEFAULTS, ...older });
    await admin.put(SETTINGS, first.body as object).expect(200, first.body);
  });
});
