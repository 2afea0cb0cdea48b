import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

describe('hooks of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let admin: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    developer = await trellis.factories.user();
    admin = await trellis.factories.admin();
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, developer, 30);
  });

  const at = (path = '') => `/projects/${String(project.id)}/hooks${path}`;

  /** What hooks of projects and of the instance have in common. */
  const settings = (id: number) => ({
    id,
    name: null,
    description: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    enable_ssl_verification: true,
    alert_status: 'executable',
    disabled_until: null,
    push_events_branch_filter: null,
    branch_filter_strategy: 'wildcard',
    url_variables: [],
    custom_headers: [],
  });
  const shown = (id: number) => ({
    ...settings(id),
    url: 'https://zoe:***@ci.example.com/hook',
    push_events: true,
    tag_push_events: false,
    merge_requests_events: true,
    repository_update_events: false,
    project_id: project.id,
    issues_events: false,
    confidential_issues_events: false,
    note_events: false,
    confidential_note_events: null,
    pipeline_events: false,
    wiki_page_events: false,
    job_events: true,
    deployment_events: false,
    feature_flag_events: false,
    releases_events: false,
    milestone_events: false,
    emoji_events: false,
    resource_access_token_events: false,
  });

  it('are added, listed, read, changed without a URL, and removed', async () => {
    const client = trellis.as(owner).v4;
    const body = {
      url: 'https://zoe:secret@ci.example.com/hook',
      ...{ job_events: true, merge_requests_events: true, token: 'shared' },
    };
    const made = await client.post(at(), body).expect(201);
    const { id } = made.body as { id: number };
    expect(made.body).toEqual(shown(id));
    expect((await client.get(at()).expect(200)).body).toEqual([shown(id)]);
    expect((await client.get(at(`/${String(id)}`)).expect(200)).body).toEqual(shown(id));
    const old = await trellis
      .as(owner)
      .get(at(`/${String(id)}`))
      .expect(200);
    expect(old.body).toMatchObject({ id, build_events: true, merge_requests_events: true });

    const secrets = () =>
      trellis.rows('SELECT password_sealed, token_sealed FROM hooks WHERE id = $1', [id]);
    const before = await secrets();
    const changed = await client
      .put(at(`/${String(id)}`), { note_events: true, wiki_page_events: true })
      .expect(200);
    expect(changed.body).toEqual({ ...shown(id), note_events: true, wiki_page_events: true });
    expect(await secrets()).toEqual(before);
    const empty = await client.put(at(`/${String(id)}`), { url: '' }).expect(400);
    expect(empty.body).toEqual({ error: 'url is empty' });
    const invalid = await client.put(at(`/${String(id)}`), { url: 'ftp://x' }).expect(422);
    expect(invalid.body).toEqual({ error: 'Invalid url given' });

    await client.delete(at(`/${String(id)}`)).expect(204);
    await client.delete(at(`/${String(id)}`)).expect(404);
    await client.get(at(`/${String(id)}`)).expect(404);
  });

  it('are shown as disabled until they are changed', async () => {
    const client = trellis.as(owner).v4;
    const made = await client.post(at(), { url: 'https://ci.example.com/' }).expect(201);
    const { id } = made.body as { id: number };
    await trellis.rows(
      "UPDATE hooks SET disabled_at = now(), disabled_reason = 'gone' WHERE id = $1",
      [id],
    );
    const path = at(`/${String(id)}`);
    expect((await client.get(path)).body).toMatchObject({ alert_status: 'disabled' });
    const changed = await client.put(path, { push_events: true }).expect(200);
    expect(changed.body).toMatchObject({ alert_status: 'executable' });
  });

  it('keep names, filters, headers and variables, of which answers have the keys alone', async () => {
    const client = trellis.as(owner).v4;
    const body = {
      url: 'https://ci.example.com/{team}/hook?key={key}',
      name: 'CI',
      description: 'Builds it',
      push_events_branch_filter: 'release/*',
      confidential_note_events: false,
      emoji_events: true,
      custom_headers: [{ key: 'X-Api-Key', value: 'first-secret' }],
      url_variables: [
        { key: 'team', value: 'red' },
        { key: 'key', value: 'second-secret' },
      ],
    };
    const made = await client.post(at(), body).expect(201);
    const { id } = made.body as { id: number };
    const kept = {
      url: body.url,
      name: 'CI',
      description: 'Builds it',
      push_events_branch_filter: 'release/*',
      confidential_note_events: false,
      emoji_events: true,
      custom_headers: [{ key: 'X-Api-Key' }],
      url_variables: [{ key: 'team' }, { key: 'key' }],
    };
    expect(made.body).toMatchObject(kept);
    const [row] = await trellis.rows<object>('SELECT * FROM hooks WHERE id = $1', [id]);
    expect(JSON.stringify(row)).not.toMatch(/first-secret|second-secret/);
    expect(row).toMatchObject({ api_version: 4, uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const more = { custom_headers: [{ key: 'X-Other', value: 'third' }], name: null };
    const changed = await client.put(at(`/${String(id)}`), more).expect(200);
    expect(changed.body).toMatchObject({
      ...kept,
      name: null,
      custom_headers: [{ key: 'X-Api-Key' }, { key: 'X-Other' }],
    });
    const moved = await client.put(at(`/${String(id)}`), { url: 'https://other.example.com/' });
    expect(moved.body).toMatchObject({ custom_headers: [], url_variables: [] });
  });

  it('have single custom headers set and removed', async () => {
    const client = trellis.as(owner).v4;
    const made = await client.post(at(), { url: 'https://ci.example.com/' }).expect(201);
    const path = at(`/${String((made.body as { id: number }).id)}`);
    const header = (name: string) => `${path}/custom_headers/${name}`;
    await client.put(header('X-Key'), { value: 'one' }).expect(204);
    await client.put(header('x-key'), { value: 'two' }).expect(204);
    const keys = async () =>
      ((await client.get(path).expect(200)).body as { custom_headers: object[] }).custom_headers;
    expect(await keys()).toEqual([{ key: 'x-key' }]);
    for (const [name, value] of [
      ['X-Gitlab-Token', 'x'],
      ['Content-Length', '1'],
      ['X%20Y', 'x'],
      ['X-Key', 'a\nb'],
      ['X-Key', ' '],
    ] as const) {
      const refused = await client.put(header(name), { value });
      expect([refused.status, name]).toEqual([422, name]);
      expect(refused.body).toEqual({ message: 'Illegal key or value' });
    }
    await client.put(header('X-Key'), {}).expect(400);
    await client.delete(header('X-KEY')).expect(204);
    await client.delete(header('X-KEY')).expect(404);
    expect(await keys()).toEqual([]);
    for (let index = 0; index < 20; index += 1) {
      await client.put(header(`X-${String(index)}`), { value: 'v' }).expect(204);
    }
    await client.put(header('X-20'), { value: 'v' }).expect(422);
    await client.put(header('X-19'), { value: 'w' }).expect(204);
    await trellis.as(developer).v4.put(header('X-Key'), { value: 'x' }).expect(403);
  });

  it('refuse filters, tokens, headers and variables that cannot be used', async () => {
    const client = trellis.as(owner).v4;
    const url = 'https://ci.example.com/';
    const refused = async (body: object) => {
      const answer = await client.post(at(), { url, ...body });
      return [answer.status, answer.body as object];
    };
    const filter = { error: 'Invalid branch filter given' };
    expect(await refused({ push_events_branch_filter: 'a b' })).toEqual([422, filter]);
    const regex = { branch_filter_strategy: 'regex' };
    for (const text of ['(', '(a{100}){100}', 'a'.repeat(201), '(?=a)']) {
      const body = { ...regex, push_events_branch_filter: text };
      expect([text, ...(await refused(body))]).toEqual([text, 422, filter]);
    }
    const strategy = await client.post(at(), { url, branch_filter_strategy: 'some' });
    expect(strategy.body).toEqual({ error: 'branch_filter_strategy does not have a valid value' });
    expect(await refused({ token: 'a\nb' })).toEqual([422, { message: { token: ['is invalid'] } }]);
    expect(await refused({ custom_headers: [{ key: 'Host', value: 'x' }] })).toEqual([
      422,
      { message: 'Illegal key or value' },
    ]);
    const invalid = { error: 'Invalid url given' };
    const variables = [{ key: 'x', value: 'evil.example.com/' }];
    for (const text of ['https://a.example.com:{x}', 'https://{x}@a.example.com/']) {
      const body = { url: text, url_variables: variables };
      expect([text, ...(await refused(body))]).toEqual([text, 422, invalid]);
    }
  });

  it('are refused to developers, and to callers without a credential', async () => {
    await trellis.as(developer).v4.get(at()).expect(403);
    await trellis.anonymous.v4.get(at()).expect(401);
  });

  it('of the instance are added, listed, read and removed by administrators', async () => {
    const client = trellis.as(admin).v4;
    const body = { url: 'https://audit.example.com/', tag_push_events: true };
    const made = await client.post('/hooks', body).expect(201);
    const { id } = made.body as { id: number };
    const one = {
      ...settings(id),
      url: body.url,
      push_events: false,
      tag_push_events: true,
      merge_requests_events: false,
      repository_update_events: true,
    };
    expect(made.body).toEqual(one);
    expect((await client.get(`/hooks/${String(id)}`).expect(200)).body).toEqual(one);
    expect((await client.get('/hooks').expect(200)).body).toContainEqual(one);
    await trellis.as(owner).v4.get('/hooks').expect(403);
    const path = `/hooks/${String(id)}`;
    const changed = await client.put(path, { merge_requests_events: true, name: 'Audit' });
    expect(changed.body).toEqual({ ...one, merge_requests_events: true, name: 'Audit' });
    await client.put(`${path}/custom_headers/X-Key`, { value: 'x' }).expect(204);
    expect((await client.get(path)).body).toMatchObject({ custom_headers: [{ key: 'X-Key' }] });
    await client.delete(`${path}/custom_headers/X-Key`).expect(204);
    const refused = await client.put(path, { url: 'nowhere' }).expect(422);
    expect(refused.body).toEqual({ error: 'Invalid url given' });
    const tested = await client.post(path).expect(201);
    expect(tested.body).toMatchObject({ event_name: 'project_create', project_id: 1 });
    await client.delete(`/hooks/${String(id)}`).expect(204);
    await client.get(`/hooks/${String(id)}`).expect(404);
  });
});
