import type { Response, Test } from 'supertest';
import { AuditLog, SignIns } from '../../../src/modules/audit/index.js';
import { GroupMembersService } from '../../../src/modules/memberships/index.js';
import { RemoveExpiredAccessJob } from '../../../src/modules/memberships/remove-expired-access.job.js';
import { V3 } from '../../../src/faces/index.js';
import { runCommand } from '../../support/commands.js';
import { type MadeGroup, type MadeProject, type Person, unique } from '../../support/factories.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { newKey } from '../../support/public-keys.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(60_000);

interface Entry {
  id: string;
  action: string;
  author_id: number | null;
  author_name: string;
  administrator_id: number | null;
  administrator_name: string | null;
  target_type: string | null;
  target_id: number | null;
  target_name: string | null;
  project_id: number | null;
  group_id: number | null;
  ip: string | null;
  request_id: string | null;
  details: object;
}

/** The columns that say what was done. */
const SAID = new Set([
  ...['action', 'target_type', 'target_id', 'target_name', 'project_id', 'group_id', 'details'],
]);
const LABEL = { name: 'audited', color: '#ff0000' };
const EVENTS_OF_PUSHES = { push_events: true, tag_push_events: false, issues_events: true };

describe('the audit log', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let mia: Person;
  let project: MadeProject;
  let group: MadeGroup;
  let pushed: PushedProjects;
  /** What must be in no entry. */
  const secrets: string[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    mia = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    group = await trellis.factories.group(owner);
    pushed = new PushedProjects(trellis, owner);
    for (const { token, password, user } of [admin, owner, mia]) {
      secrets.push(token, password, user.email, user.name);
    }
  });
  afterAll(() => pushed.remove());

  /** A text that must not be in any entry. */
  const secret = (text = `secret-${unique()}`): string => {
    secrets.push(text);
    return text;
  };

  const entriesAfter = (id: string): Promise<Entry[]> =>
    trellis.rows<Entry>('SELECT * FROM audit_events WHERE id > $1 ORDER BY id', [id]);

  const lastId = async (): Promise<string> => {
    const [row] = await trellis.rows<{ id: string }>(
      'SELECT coalesce(max(id), 0)::text AS id FROM audit_events',
    );
    return row?.id ?? '0';
  };

  /** The entries that a piece of work writes. */
  const entriesOf = async (work: () => Promise<unknown>): Promise<Entry[]> => {
    const before = await lastId();
    await work();
    return entriesAfter(before);
  };

  /** What the entries of a request say, after checking who made it, and from where. */
  const recorded = async (call: Test, by: Person): Promise<Partial<Entry>[]> => {
    const requestId = `audit-${unique()}`;
    const before = await lastId();
    const answer: Response = await call.set('X-Request-Id', requestId);
    expect(answer.status).toBeLessThan(300);
    const entries = await entriesAfter(before);
    expect(entries).toEqual(
      entries.map((entry) => ({
        ...entry,
        author_id: by.user.id,
        author_name: by.user.username,
        administrator_id: null,
        administrator_name: null,
        ip: '127.0.0.1',
        request_id: requestId,
      })),
    );
    return entries.map(plain);
  };

  /** An entry without who did it, and without what is null. */
  const plain = (entry: Entry): Partial<Entry> =>
    Object.fromEntries(
      Object.entries(entry).filter(([name, value]) => value !== null && SAID.has(name)),
    );

  const onUser = ({ user }: Person) => ({
    ...{ target_type: 'user', target_id: user.id, target_name: user.username },
  });
  const onProject = ({ id, fullPath }: MadeProject) => ({
    ...{ target_type: 'project', target_id: id, target_name: fullPath, project_id: id },
  });
  const onGroup = ({ id, path }: MadeGroup) => ({
    ...{ target_type: 'group', target_id: id, target_name: path, group_id: id },
  });

  it('records successful and failed sign-ins, without the text entered as the user name', async () => {
    const { username } = mia.user;
    const session = (login: string, password: string) =>
      trellis.anonymous.post('/session', { login, password });
    const signedIn = await recorded(session(username, mia.password), mia);
    expect(signedIn).toEqual([{ action: 'session.created', ...onUser(mia), details: {} }]);

    const typed = secret();
    const before = await lastId();
    await session(username, secret()).expect(401);
    await session(username, secret()).expect(401);
    await session(typed, secret()).expect(401);
    const git = `${trellis.url}/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    const wrong = Buffer.from(`${username}:${secret()}`).toString('base64');
    expect((await fetch(git, { headers: { authorization: `Basic ${wrong}` } })).status).toBe(401);
    await trellis.app.get(SignIns).writeAll();
    const failed = await until(async () => {
      const entries = await entriesAfter(before);
      const attempts = entries.map(({ details }) => (details as { attempts: number }).attempts);
      return attempts.reduce((sum, count) => sum + count, 0) === 4 && entries;
    });
    const anonymous = { action: 'session.failed', author_id: null, author_name: 'anonymous' };
    expect(failed).toEqual(
      failed.map(() => expect.objectContaining({ ...anonymous, ip: '127.0.0.1' }) as Entry),
    );
    const kinds = failed.map(({ target_name: name, details }) => [
      name,
      (details as { method: string }).method,
    ]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        [username, 'session'],
        [null, 'session'],
        [username, 'basic'],
      ]),
    );
  });

  it('merges repeated sign-ins into one entry', async () => {
    const { user, password } = await trellis.factories.user();
    const signIn = () =>
      trellis.anonymous.post('/session', { login: user.username, password }).expect(200);
    const ofUser = async (action: string) => {
      const entries = await trellis.rows<Entry>(
        'SELECT * FROM audit_events WHERE target_id = $1 AND action = $2 ORDER BY id',
        [user.id, action],
      );
      return entries.map(({ details }) => details);
    };
    for (let count = 0; count < 4; count += 1) await signIn();
    expect(await ofUser('session.created')).toEqual([{}]);
    await trellis.app.get(SignIns).writeAll();
    expect(await ofUser('session.created')).toEqual([{}, { repeats: 3 }]);
    await signIn();
    expect(await ofUser('session.created')).toHaveLength(2);
  });

  it('counts every failure of a burst of anonymous clients', async () => {
    const signIns = new SignIns(trellis.app.get(AuditLog));
    const before = await lastId();
    for (let number = 0; number < 5_010; number += 1) {
      const address = `2001:db8::${number.toString(16)}`;
      signIns.countFailure({ user: null, address, method: 'session' });
    }
    await signIns.writeAll();
    const entries = await entriesAfter(before);
    const others = entries.filter(({ details }) => 'others' in details);
    expect(others).toEqual([
      expect.objectContaining({ author_name: 'anonymous', ip: null, target_type: null }),
    ]);
    const own = entries.filter(({ ip }) => ip === null || ip.startsWith('2001:db8:'));
    const attempts = own.map(({ details }) => (details as { attempts: number }).attempts);
    expect(attempts.reduce((sum, count) => sum + count, 0)).toBe(5_010);
  });

  it('names both users of a sudo request', async () => {
    const as = `sudo=${String(mia.user.id)}`;
    const key = newKey();
    const entries = await entriesOf(() =>
      trellis.as(admin).post(`/user/keys?${as}`, { title: 'laptop', key }).expect(201),
    );
    const both = {
      ...{ author_id: mia.user.id, author_name: mia.user.username, ip: '127.0.0.1' },
      ...{ administrator_id: admin.user.id, administrator_name: admin.user.username },
    };
    const used = { author_id: admin.user.id, author_name: admin.user.username };
    expect(entries).toEqual([
      expect.objectContaining({
        ...{ action: 'sudo.used', ...used, administrator_id: null, ...onUser(mia) },
        ...{ ip: '127.0.0.1', request_id: expect.any(String) as string },
        details: { method: 'POST', route: `${V3.prefix}/user/keys` },
      }),
      expect.objectContaining({ action: 'ssh_key.added', ...both, target_type: 'ssh_key' }),
    ]);
    const reads = await entriesOf(async () => {
      await trellis.as(admin).get(`/projects?${as}`).expect(200);
      await trellis.as(admin).get(`/todos?${as}`).expect(200);
    });
    expect(reads.map(plain)).toEqual([
      {
        ...{ action: 'sudo.used', ...onUser(mia) },
        details: { method: 'GET', route: `${V3.prefix}/projects` },
      },
    ]);
    const token = await entriesOf(() => trellis.as(admin).get(`/user?${as}`).expect(200));
    expect(token).toEqual([
      expect.objectContaining({ action: 'user.token_read', ...both, ...onUser(mia) }),
    ]);
    expect(await entriesOf(() => trellis.as(mia).get('/user').expect(200))).toEqual([]);
    const refused = await entriesOf(() => trellis.as(mia).get('/user?sudo=1').expect(403));
    expect(refused).toEqual([]);
  });

  it('records changes of accounts', async () => {
    const username = `user-${unique()}`;
    const account = { username, name: secret(), email: secret(`${unique()}@example.com`) };
    const created = await recorded(
      trellis.as(admin).post('/users', { ...account, password: secret() }),
      admin,
    );
    const [row] = await trellis.rows<{ id: number }>('SELECT id FROM users WHERE username = $1', [
      username,
    ]);
    const target = { target_type: 'user', target_id: row?.id, target_name: username };
    const path = `/users/${String(row?.id)}`;
    const details = {};
    expect(created).toEqual([
      { action: 'user.created', ...target, details: { admin: false, external: false } },
    ]);
    const change = (body: object) => recorded(trellis.as(admin).put(path, body), admin);
    expect(await change({ bio: 'Plays', admin: false })).toEqual([]);
    expect(await change({ admin: true, password: secret() })).toEqual([
      { action: 'user.password_changed', ...target, details },
      { action: 'user.admin_changed', ...target, details: { from: false, to: true } },
    ]);
    expect(await change({ admin: false, email: secret(`${unique()}@example.com`) })).toEqual([
      { action: 'user.email_changed', ...target, details },
      { action: 'user.admin_changed', ...target, details: { from: true, to: false } },
    ]);
    expect(await change({ projects_limit: 3, can_create_group: false })).toEqual([
      {
        ...{ action: 'user.updated', ...target },
        details: {
          projects_limit: { from: 10, to: 3 },
          can_create_group: { from: true, to: false },
        },
      },
    ]);
    expect(await change({ provider: 'ldap', extern_uid: secret() })).toEqual([
      { action: 'user.identity_changed', ...target, details: { provider: 'ldap' } },
    ]);
    const renamed = { ...target, target_name: `${username}-2` };
    expect(await change({ username: `${username}-2` })).toEqual([
      { action: 'user.renamed', ...renamed, details: { from: username, to: `${username}-2` } },
    ]);
    const call = (verb: 'put' | 'delete', suffix = '') =>
      recorded(trellis.as(admin).call(verb, `${path}${suffix}`), admin);
    expect(await call('put', '/block')).toEqual([{ action: 'user.blocked', ...renamed, details }]);
    expect(await call('put', '/block')).toEqual([]);
    expect(await call('put', '/unblock')).toEqual([
      { action: 'user.unblocked', ...renamed, details },
    ]);
    expect(await call('delete')).toEqual([{ action: 'user.deleted', ...renamed, details }]);
  });

  it('records changes of e-mails and keys', async () => {
    const email = secret(`${unique()}@example.com`);
    const [added] = await recorded(trellis.as(mia).post('/user/emails', { email }), mia);
    const of = { details: { user_id: mia.user.id } };
    const id = added?.target_id;
    expect(added).toEqual({ action: 'email.added', target_type: 'email', target_id: id, ...of });
    const removed = trellis.as(mia).delete(`/user/emails/${String(id)}`);
    expect(await recorded(removed, mia)).toEqual([
      { action: 'email.removed', target_type: 'email', target_id: id, ...of },
    ]);
    const keys = `/users/${String(mia.user.id)}/keys`;
    const [key] = await recorded(
      trellis.as(admin).post(keys, { title: secret(), key: secret(newKey()) }),
      admin,
    );
    const onKey = {
      ...{ target_type: 'ssh_key', target_id: key?.target_id },
      target_name: expect.stringMatching(/^[0-9a-f:]{47}$/) as string,
      details: { user_id: mia.user.id },
    };
    expect(key).toEqual({ action: 'ssh_key.added', ...onKey });
    const gone = trellis.as(admin).delete(`${keys}/${String(key?.target_id)}`);
    expect(await recorded(gone, admin)).toEqual([{ action: 'ssh_key.removed', ...onKey }]);
  });

  it('records changes of groups and their members', async () => {
    const path = `group-${unique()}`;
    const [created] = await recorded(
      trellis.as(owner).post('/groups', { name: path, path, visibility_level: 20 }),
      owner,
    );
    const made = { id: created?.target_id ?? 0, name: path, path };
    expect(created).toEqual({
      ...{ action: 'group.created', ...onGroup(made), details: { visibility: 'public' } },
    });
    const url = `/groups/${String(made.id)}`;
    const member = { ...onUser(mia), group_id: made.id };
    const terms = { access_level: 30, expires_at: null };
    const add = trellis
      .as(owner)
      .post(`${url}/members`, { user_id: mia.user.id, access_level: 30 });
    expect(await recorded(add, owner)).toEqual([
      { action: 'member.added', ...member, details: terms },
    ]);
    const change = (body: object) =>
      recorded(trellis.as(owner).put(`${url}/members/${String(mia.user.id)}`, body), owner);
    const after = { access_level: 20, expires_at: '2040-01-31' };
    expect(await change(after)).toEqual([
      { action: 'member.updated', ...member, details: { from: terms, to: after } },
    ]);
    expect(await change(after)).toEqual([]);
    const leave = trellis.as(mia).delete(`${url}/members/${String(mia.user.id)}`);
    expect(await recorded(leave, mia)).toEqual([
      { action: 'member.removed', ...member, details: after },
    ]);
    const renamed = { ...made, path: `${path}-2` };
    const update = trellis.as(owner).put(url, { path: `${path}-2`, visibility_level: 0 });
    expect(await recorded(update, owner)).toEqual([
      { action: 'group.renamed', ...onGroup(renamed), details: { from: path, to: `${path}-2` } },
      {
        ...{ action: 'group.visibility_changed', ...onGroup(renamed) },
        details: { from: 'public', to: 'private' },
      },
    ]);
    const deleted = trellis.as(owner).delete(url);
    expect(await recorded(deleted, owner)).toEqual([
      { action: 'group.deleted', ...onGroup(renamed), details: {} },
    ]);
  });

  it('records changes of projects, their members and shares', async () => {
    const made = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const url = `/projects/${String(made.id)}`;
    const member = { ...onUser(mia), project_id: made.id };
    const terms = { access_level: 20, expires_at: null };
    const members = `${url}/members`;
    const add = () => trellis.as(owner).post(members, { user_id: mia.user.id, access_level: 20 });
    expect(await recorded(add(), owner)).toEqual([
      { action: 'member.added', ...member, details: terms },
    ]);
    expect(await recorded(add(), owner)).toEqual([]);
    const raise = trellis.as(owner).put(`${members}/${String(mia.user.id)}`, { access_level: 40 });
    expect(await recorded(raise, owner)).toEqual([
      {
        ...{ action: 'member.updated', ...member },
        details: { from: terms, to: { ...terms, access_level: 40 } },
      },
    ]);
    const remove = trellis.as(owner).delete(`${members}/${String(mia.user.id)}`);
    expect(await recorded(remove, owner)).toEqual([
      { action: 'member.removed', ...member, details: { ...terms, access_level: 40 } },
    ]);
    const share = { ...onGroup(group), project_id: made.id };
    const shared = trellis.as(owner).post(`${url}/share`, { group_id: group.id, group_access: 10 });
    expect(await recorded(shared, owner)).toEqual([
      { action: 'share.added', ...share, details: { group_access: 10, expires_at: null } },
    ]);
    const unshared = trellis.as(owner).delete(`${url}/share/${String(group.id)}`);
    expect(await recorded(unshared, owner)).toEqual([
      { action: 'share.removed', ...share, details: {} },
    ]);
    for (const action of ['archive', 'unarchive']) {
      const call = () => recorded(trellis.as(owner).post(`${url}/${action}`), owner);
      const entry = { action: `project.${action}d`, ...onProject(made), details: {} };
      expect(await call()).toEqual([entry]);
      expect(await call()).toEqual([]);
    }
    const path = `project-${unique()}`;
    const renamed = { ...made, path, fullPath: `${owner.user.username}/${path}` };
    const update = trellis.as(owner).put(url, { path, visibility_level: 0, description: 'Text' });
    expect(await recorded(update, owner)).toEqual([
      { action: 'project.renamed', ...onProject(renamed), details: { from: made.path, to: path } },
      {
        ...{ action: 'project.visibility_changed', ...onProject(renamed) },
        details: { from: 'public', to: 'private' },
      },
    ]);
    const transfer = trellis.as(admin).post(`/groups/${String(group.id)}${url}`);
    const moved = { ...renamed, fullPath: `${group.path}/${path}` };
    expect(await recorded(transfer, admin)).toEqual([
      {
        ...{ action: 'project.transferred', ...onProject(moved), group_id: group.id },
        details: { from: owner.user.username, to: group.path },
      },
    ]);
    expect(await recorded(trellis.as(owner).delete(url), owner)).toEqual([
      { action: 'project.deleted', ...onProject(moved), details: {} },
    ]);
  });

  it('records changes of branch protections', async () => {
    const made = await pushed.make();
    const url = `/projects/${String(made.project.id)}/repository/branches/master`;
    const entry = {
      ...{ target_type: 'branch', target_name: 'master', project_id: made.project.id },
    };
    const protect = trellis.as(owner).put(`${url}/protect`, { developers_can_push: true });
    expect(await recorded(protect, owner)).toEqual([
      {
        ...{ action: 'branch.protected', ...entry },
        details: { developers_can_push: true, developers_can_merge: false },
      },
    ]);
    const unprotect = () => recorded(trellis.as(owner).put(`${url}/unprotect`), owner);
    expect(await unprotect()).toEqual([{ action: 'branch.unprotected', ...entry, details: {} }]);
    expect(await unprotect()).toEqual([]);
  });

  it('records changes of deploy keys', async () => {
    const keys = `/projects/${String(project.id)}/deploy_keys`;
    const [added] = await recorded(
      trellis.as(owner).post(keys, { title: 'ci', key: secret(newKey()) }),
      owner,
    );
    const key = {
      ...{ target_type: 'deploy_key', target_id: added?.target_id, target_name: 'ci' },
      ...{ project_id: project.id, details: { fingerprint: expect.any(String) as string } },
    };
    const one = `${keys}/${String(added?.target_id)}`;
    const details = (canPush: boolean) => ({ ...key.details, can_push: canPush });
    expect(added).toEqual({ action: 'deploy_key.added', ...key, details: details(false) });
    expect(await recorded(trellis.as(owner).post(`${one}/enable`), owner)).toEqual([]);
    const allow = () => recorded(trellis.as(owner).v4.put(one, { can_push: true }), owner);
    expect(await allow()).toEqual([
      { action: 'deploy_key.updated', ...key, details: details(true) },
    ]);
    expect(await allow()).toEqual([]);
    const retitle = () => recorded(trellis.as(owner).v4.put(one, { title: 'cd' }), owner);
    const retitled = { ...key, target_name: 'cd' };
    expect(await retitle()).toEqual([
      {
        action: 'deploy_key.updated',
        ...retitled,
        details: { ...key.details, old_title: 'ci' },
      },
    ]);
    expect(await retitle()).toEqual([]);
    expect(await recorded(trellis.as(owner).delete(one), owner)).toEqual([
      { action: 'deploy_key.removed', ...retitled },
    ]);
  });

  it('records changes of hooks with their hosts, without their secrets', async () => {
    const hooks = `/projects/${String(project.id)}/hooks`;
    const url = `https://user:${secret()}@chat.example.com/${secret()}?key=${secret()}`;
    const token = secret();
    const [added] = await recorded(
      trellis.as(owner).post(hooks, { url, token, ...EVENTS_OF_PUSHES }),
      owner,
    );
    const id = added?.target_id;
    const hook = { target_type: 'hook', target_id: id, target_name: 'chat.example.com' };
    const own = { ...hook, project_id: project.id };
    const events = ['push', 'issue'];
    expect(added).toEqual({ action: 'hook.added', ...own, details: { events } });
    const change = trellis.as(owner).put(`${hooks}/${String(id)}`, { url, token: secret() });
    expect(await recorded(change, owner)).toEqual([
      {
        ...{ action: 'hook.updated', ...own },
        details: {
          ...{ events, url_changed: true, token_changed: true },
          enable_ssl_verification: true,
        },
      },
    ]);
    const delivery = await new HookDeliveries(trellis).queue(Number(id));
    const again = () =>
      recorded(
        trellis.as(owner).post(`${hooks}/${String(id)}/deliveries/${delivery}/redeliver`),
        owner,
      );
    expect(await again()).toEqual([]);
    await trellis.rows(
      `UPDATE hooks SET disabled_at = now(), disabled_reason = 'failing' WHERE id = $1`,
      [id],
    );
    const enabled = { ...own, details: { disabled_reason: 'failing' } };
    expect(await again()).toEqual([{ action: 'hook.enabled', ...enabled }]);
    expect(await again()).toEqual([]);
    expect(await recorded(trellis.as(owner).delete(`${hooks}/${String(id)}`), owner)).toEqual([
      { action: 'hook.removed', ...own, details: {} },
    ]);
    const [system] = await recorded(trellis.as(admin).post('/hooks', { url, token }), admin);
    expect(system).toEqual({
      ...{ action: 'hook.added', ...hook, target_id: system?.target_id },
      details: { events: ['push'] },
    });
    const remove = trellis.as(admin).delete(`/hooks/${String(system?.target_id)}`);
    expect(await recorded(remove, admin)).toEqual([
      { action: 'hook.removed', ...hook, target_id: system?.target_id, details: {} },
    ]);
  });

  it('records changes of settings with old and new values', async () => {
    const long = 'x'.repeat(300);
    const change = (body: object) =>
      recorded(trellis.as(admin).put('/application/settings', body), admin);
    expect(await change({ sign_in_text: long, default_projects_limit: 11 })).toEqual([
      {
        ...{ action: 'settings.updated', target_type: 'settings' },
        details: {
          sign_in_text: { from: null, to: `${'x'.repeat(254)}…` },
          default_projects_limit: { from: 10, to: 11 },
        },
      },
    ]);
    await change({ sign_in_text: null, default_projects_limit: 10 });
    expect(await change({ default_projects_limit: 10 })).toEqual([]);
  });

  it('records expired memberships and shares, as the system', async () => {
    const past = '2001-01-01';
    await trellis.factories.addToProject(project, mia, 30, past);
    await trellis.factories.addToGroup(group, mia, 20, past);
    await trellis.factories.share(project, group, 10, past);
    const signal = new AbortController().signal;
    const entries = await entriesOf(async () => {
      await trellis.app.get(RemoveExpiredAccessJob).handle({}, { signal });
      await trellis.app.get(GroupMembersService).handle({}, { signal });
    });
    const system = { author_id: null, author_name: 'system', ip: null, request_id: null };
    // Other suites of the shared service have let memberships expire, too.
    const own = entries.filter(
      ({ project_id: of, group_id: ofGroup }) => of === project.id || ofGroup === group.id,
    );
    expect(own).toEqual(
      [
        {
          ...{ action: 'member.expired', ...onUser(mia), project_id: project.id, group_id: null },
          details: { access_level: 30 },
        },
        {
          ...{ action: 'share.expired', ...onGroup(group), project_id: project.id, details: {} },
        },
        {
          ...{ action: 'member.expired', ...onUser(mia), project_id: null, group_id: group.id },
          details: { access_level: 20 },
        },
      ].map((entry) => expect.objectContaining({ ...entry, ...system }) as Entry),
    );
  });

  it('records actions of the command line', async () => {
    const entries = await entriesOf(async () => {
      const { output } = await runCommand(
        ['user', 'reset-token', mia.user.username, '--json'],
        trellis.sharedEnvironment,
      );
      mia = {
        ...mia,
        token: secret((JSON.parse(output) as { private_token: string }).private_token),
      };
    });
    expect(entries).toEqual([
      expect.objectContaining({
        ...{ action: 'user.token_reset', ...onUser(mia), details: {} },
        ...{ author_id: null, author_name: 'command line', ip: null, request_id: null },
      }),
    ]);
  });

  it('records nothing for refused and ineffective requests', async () => {
    const name = unique();
    const taken = await trellis.factories.group(owner);
    const refused = await entriesOf(async () => {
      await trellis
        .as(mia)
        .delete(`/groups/${String(group.id)}`)
        .expect(403);
      await trellis
        .as(owner)
        .put(`/groups/${String(group.id)}`, { path: taken.path })
        .expect(400);
      await trellis.rows(
        `CREATE FUNCTION refuse_${name}() RETURNS trigger LANGUAGE plpgsql
           AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
      );
      await trellis.rows(
        `CREATE CONSTRAINT TRIGGER refuse_${name} AFTER UPDATE ON namespaces
           DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_${name}()`,
      );
      // Fails when everything is written, with the commit.
      const path = `group-${unique()}`;
      await trellis
        .as(owner)
        .put(`/groups/${String(group.id)}`, { path })
        .expect(500);
      await trellis.rows(`DROP FUNCTION refuse_${name} CASCADE`);
    });
    expect(refused).toEqual([]);
  });

  it('adds no statement to frequent writes', async () => {
    const issues = `/projects/${String(project.id)}/issues`;
    const { body } = await trellis.as(owner).post(issues, { title: 'First' }).expect(200);
    const { id } = body as { id: number };
    const ran = await trellis.statements.during(async () => {
      await trellis.as(owner).post(issues, { title: 'Second' }).expect(200);
      await trellis
        .as(owner)
        .post(`${issues}/${String(id)}/notes`, { body: 'Note' })
        .expect(200);
      await trellis
        .as(owner)
        .post(`/projects/${String(project.id)}/labels`, LABEL)
        .expect(200);
    });
    expect(ran.length).toBeGreaterThan(5);
    expect(ran.filter((sql) => sql.includes('audit_events'))).toEqual([]);
    const update = (path: string) =>
      trellis.statements.costOf(() =>
        trellis
          .as(owner)
          .put(`/groups/${String(group.id)}`, { path })
          .expect(200),
      );
    const audited = await update(`group-${unique()}`);
    const [row] = await trellis.rows<{ path: string }>(
      'SELECT path FROM namespaces WHERE id = $1',
      [group.id],
    );
    const unchanged = await update(row?.path ?? '');
    expect(audited).toEqual({ ...unchanged, statements: unchanged.statements + 1 });
  });

  it('contains no password, token, key, address or name used in the tests', async () => {
    expect(secrets.length).toBeGreaterThan(30);
    const rows = await trellis.rows<{ text: string }>(
      'SELECT row_to_json(e)::text AS text FROM audit_events e',
    );
    const leaked = secrets.filter((text) => rows.some((row) => row.text.includes(text)));
    expect(leaked).toEqual([]);
    expect(rows.some((row) => /token-|password-|secret-/.test(row.text))).toBe(false);
  });
});
