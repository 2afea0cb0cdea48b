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

  const shown = (id: number) => ({
    id,
    url: 'https://zoe:***@ci.example.com/hook',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    push_events: true,
    tag_push_events: false,
    merge_requests_events: true,
    repository_update_events: false,
    enable_ssl_verification: true,
    alert_status: 'executable',
    disabled_until: null,
    project_id: project.id,
    issues_events: false,
    confidential_issues_events: null,
    note_events: false,
    confidential_note_events: null,
    pipeline_events: false,
    wiki_page_events: false,
    job_events: true,
    deployment_events: false,
    releases_events: false,
    emoji_events: false,
    push_events_branch_filter: null,
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

  it('are tested by the events of the path', async () => {
    const client = trellis.as(owner).v4;
    const made = await client.post(at(), { url: 'https://ci.example.com/' }).expect(201);
    const path = at(`/${String((made.body as { id: number }).id)}/test`);
    const none = await client.post(`${path}/push_events`).expect(422);
    expect(none.body).toEqual({ message: 'Ensure the project has commits.' });
    await trellis.as(owner).post(`/projects/${String(project.id)}/issues`, { title: 'One' });
    const tested = await client.post(`${path}/issues_events`).expect(201);
    expect(tested.body).toEqual({ message: '201 Created' });
    const unknown = await client.post(`${path}/moon_events`).expect(400);
    expect(unknown.body).toEqual({ error: 'trigger does not have a valid value' });
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
      id,
      url: body.url,
      created_at: expect.any(String) as string,
      push_events: false,
      tag_push_events: true,
      merge_requests_events: false,
      repository_update_events: false,
      enable_ssl_verification: true,
      alert_status: 'executable',
      disabled_until: null,
    };
    expect(made.body).toEqual(one);
    expect((await client.get(`/hooks/${String(id)}`).expect(200)).body).toEqual(one);
    expect((await client.get('/hooks').expect(200)).body).toContainEqual(one);
    await trellis.as(owner).v4.get('/hooks').expect(403);
    await client.delete(`/hooks/${String(id)}`).expect(204);
    await client.get(`/hooks/${String(id)}`).expect(404);
  });
});
