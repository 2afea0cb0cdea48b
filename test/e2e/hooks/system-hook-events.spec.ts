import { RemoveExpiredAccessJob } from '../../../src/modules/memberships/remove-expired-access.job.js';
import { type Person, unique } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const TIMES = { created_at: TIMESTAMP, updated_at: TIMESTAMP };

describe('System hooks are notified of', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let other: Person;
  let hook: QueueingHook;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 100 });
    other = await trellis.factories.user();
  });

  beforeEach(async () => {
    hook = await QueueingHook.ofInstance(trellis, admin);
  });
  afterEach(() => trellis.rows('DELETE FROM hooks'));

  const payloads = async () => (await hook.queuedEvents()).map(({ body }) => body);
  const person = ({ user }: Person) => ({
    user_username: user.username,
    user_name: user.name,
    user_email: user.email,
    user_id: user.id,
  });

  it('creation, changes and deletion of projects', async () => {
    const path = `p-${unique()}`;
    const made = await trellis
      .as(owner)
      .post('/projects', { name: 'A project', path, visibility_level: 10 })
      .expect(200);
    const { id } = made.body as { id: number };
    const home = owner.user.username;
    const project = {
      ...TIMES,
      name: 'A project',
      path,
      path_with_namespace: `${home}/${path}`,
      project_id: id,
      owner_name: owner.user.name,
      owner_email: owner.user.email,
      project_visibility: 'internal',
    };
    const team = {
      ...TIMES,
      project_name: 'A project',
      project_path: path,
      project_path_with_namespace: `${home}/${path}`,
      project_id: id,
      project_visibility: 'internal',
    };
    expect(await payloads()).toEqual([
      { event_name: 'project_create', ...project },
      { event_name: 'user_add_to_team', ...team, ...person(owner), access_level: 'Master' },
    ]);
    const at = `/projects/${String(id)}`;
    const joining = { user_id: other.user.id, access_level: 30 };
    await trellis.as(owner).post(`${at}/members`, joining).expect(200);
    const developer = { ...team, ...person(other), access_level: 'Developer' };
    expect(await payloads()).toEqual([{ event_name: 'user_add_to_team', ...developer }]);
    const member = `${at}/members/${String(other.user.id)}`;
    await trellis.as(owner).put(member, { access_level: 20 }).expect(200);
    await trellis.as(owner).put(at, { description: 'Of no interest' }).expect(200);
    expect(await payloads()).toEqual([]);
    await trellis.as(owner).delete(member).expect(200);
    const reporter = { ...developer, access_level: 'Reporter' };
    expect(await payloads()).toEqual([{ event_name: 'user_remove_from_team', ...reporter }]);

    await trellis
      .as(owner)
      .put(at, { path: `${path}-2` })
      .expect(200);
    const renamed = {
      ...project,
      path: `${path}-2`,
      path_with_namespace: `${home}/${path}-2`,
    };
    expect(await payloads()).toEqual([
      { event_name: 'project_rename', ...renamed, old_path_with_namespace: `${home}/${path}` },
    ]);

    const group = await trellis.factories.group(admin);
    await hook.queuedEvents();
    await trellis
      .as(admin)
      .post(`/groups/${String(group.id)}${at}`)
      .expect(200);
    const transferred = {
      ...renamed,
      path_with_namespace: `${group.path}/${path}-2`,
      owner_name: group.name,
      owner_email: '',
    };
    expect(await payloads()).toEqual([
      {
        event_name: 'project_transfer',
        ...transferred,
        old_path_with_namespace: `${home}/${path}-2`,
      },
    ]);
    await trellis.as(admin).delete(at).expect(200);
    expect(await payloads()).toEqual([{ event_name: 'project_destroy', ...transferred }]);
  });

  it('groups and their members', async () => {
    const path = `g-${unique()}`;
    const made = await trellis
      .as(owner)
      .post('/groups', { name: `N ${path}`, path })
      .expect(200);
    const { id } = made.body as { id: number };
    const group = {
      ...TIMES,
      name: `N ${path}`,
      path,
      group_id: id,
      owner_name: null,
      owner_email: null,
    };
    const place = { ...TIMES, group_name: `N ${path}`, group_path: path, group_id: id };
    expect(await payloads()).toEqual([
      { event_name: 'group_create', ...group },
      { event_name: 'user_add_to_group', ...place, ...person(owner), group_access: 'Owner' },
    ]);
    const members = `/groups/${String(id)}/members`;
    const joining = { user_id: other.user.id, access_level: 10 };
    await trellis.as(owner).post(members, joining).expect(200);
    const guest = { ...place, ...person(other), group_access: 'Guest' };
    expect(await payloads()).toEqual([{ event_name: 'user_add_to_group', ...guest }]);
    await trellis
      .as(owner)
      .delete(`${members}/${String(other.user.id)}`)
      .expect(200);
    expect(await payloads()).toEqual([{ event_name: 'user_remove_from_group', ...guest }]);
    const project = await trellis.factories.project(owner, { namespaceId: id });
    expect(await payloads()).toMatchObject([
      { event_name: 'project_create', owner_name: `N ${path}` },
    ]);
    await trellis
      .as(owner)
      .delete(`/groups/${String(id)}`)
      .expect(200);
    expect(await payloads()).toMatchObject([
      { event_name: 'project_destroy', project_id: project.id },
      { event_name: 'group_destroy', ...group },
    ]);
  });

  it('accounts and their keys', async () => {
    const someone = await trellis.factories.user();
    const { id, name, email, username } = someone.user;
    const account = { ...TIMES, name, email, user_id: id, username };
    expect(await payloads()).toEqual([{ event_name: 'user_create', ...account }]);
    const key = newKey();
    const added = await trellis.as(someone).post('/user/keys', { title: 'Mine', key }).expect(201);
    const { id: keyId } = added.body as { id: number };
    const shown = { ...TIMES, key, id: keyId, username };
    expect(await payloads()).toEqual([{ event_name: 'key_create', ...shown }]);
    const path = `/user/keys/${String(keyId)}`;
    await trellis.as(someone).delete(path).expect(200);
    await trellis.as(someone).delete(path).expect(200);
    expect(await payloads()).toEqual([{ event_name: 'key_destroy', ...shown }]);
    await trellis
      .as(admin)
      .put(`/users/${String(id)}`, { bio: 'Of no interest' })
      .expect(200);
    expect(await payloads()).toEqual([]);
    await trellis
      .as(admin)
      .delete(`/users/${String(id)}`)
      .expect(200);
    expect(await payloads()).toEqual([{ event_name: 'user_destroy', ...account }]);
  });

  it('memberships that expire', async () => {
    const project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, other, 20, '2001-01-01');
    await hook.queuedEvents();
    const { signal } = new AbortController();
    await trellis.app.get(RemoveExpiredAccessJob).handle({}, { signal });
    // The day of memberships of other suites may have come as well, at midnight.
    const found = (await payloads()).filter((payload) => payload['project_id'] === project.id);
    expect(found).toMatchObject([
      {
        event_name: 'user_remove_from_team',
        user_id: other.user.id,
        access_level: 'Reporter',
      },
    ]);
  });
});
