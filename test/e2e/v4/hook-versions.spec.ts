import { toHookVersion } from '../../../src/cli/commands/hook.js';
import { HookVersionsService } from '../../../src/modules/hooks/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { Trellis } from '../../support/trellis.js';

interface Row {
  api_version: number;
  uuid: string | null;
}

describe('the version of a hook', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
  });

  const hooks = (rest = '') => `/projects/${String(project.id)}/hooks${rest}`;
  const row = async ({ id }: { id: number }) => {
    const sql = 'SELECT api_version, uuid FROM hooks WHERE id = $1';
    const [found] = await trellis.rows<Row>(sql, [id]);
    return found as Row;
  };
  const issue = (title: string) =>
    trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/issues`, { title })
      .expect(200);
  const isOfVersion4 = async (hook: QueueingHook) => 'event_type' in (await hook.queuedPayload());

  it('is that of its maker, whichever version changes it', async () => {
    const older = await QueueingHook.ofProject(trellis, owner, project, {});
    const newer = await QueueingHook.ofVersion4(trellis, owner, project, {});
    const url = 'https://receiver.example.com/';
    await trellis.as(owner).v4.put(hooks(`/${String(older.id)}`), { issues_events: true });
    await trellis.as(owner).put(hooks(`/${String(newer.id)}`), { url, issues_events: true });
    expect(await row(older)).toEqual({ api_version: 3, uuid: null });
    expect(await row(newer)).toEqual({ api_version: 4, uuid: expect.any(String) as string });
    await issue('One');
    expect([await isOfVersion4(older), await isOfVersion4(newer)]).toEqual([false, true]);
  });

  it('is changed by operators for later events, and that is audited', async () => {
    const hook = await QueueingHook.ofProject(trellis, owner, project, { issues_events: true });
    const versions = trellis.app.get(HookVersionsService);
    await versions.set(hook.id, 4);
    await issue('Two');
    expect(await isOfVersion4(hook)).toBe(true);
    const { uuid } = await row(hook);
    expect(uuid).not.toBeNull();
    await versions.set(hook.id, 3);
    await issue('Three');
    expect(await isOfVersion4(hook)).toBe(false);
    await versions.set(hook.id, 4);
    expect(await row(hook)).toEqual({ api_version: 4, uuid });
    const audited = await trellis.rows<{ details: { api_version: number } }>(
      `SELECT details FROM audit_events
        WHERE action = 'hook.updated' AND target_id = $1 ORDER BY id`,
      [hook.id],
    );
    expect(audited.map(({ details }) => details.api_version)).toEqual([4, 3, 4]);
    await expect(versions.set(999_999, 4)).rejects.toMatchObject({
      detail: { code: 'record-not-found', record: 'hook' },
    });
  });

  it('of the instance decides about merge requests, updates of repositories and the names of roles', async () => {
    const admin = await trellis.factories.admin();
    const flags = { merge_requests_events: true };
    const body = { url: 'https://receiver.example.com/', ...flags };
    const { body: made } = await trellis.as(admin).v4.post('/hooks', body).expect(201);
    const { id } = made as { id: number };
    const older = await QueueingHook.ofInstance(trellis, admin);
    const member = await trellis.factories.user();
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/members`, {
        user_id: member.user.id,
        access_level: 40,
      })
      .expect(200);
    const events = await trellis.rows<{ hook_id: number; role: string }>(
      `SELECT d.hook_id, e.body::json ->> 'access_level' AS role
         FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id
        WHERE d.hook_id = ANY($1) AND e.body::json ->> 'event_name' = 'user_add_to_team'
        ORDER BY d.id DESC LIMIT 2`,
      [[id, older.id]],
    );
    expect(new Map(events.map(({ hook_id, role }) => [hook_id, role]))).toEqual(
      new Map([
        [id, 'Maintainer'],
        [older.id, 'Master'],
      ]),
    );
    const file = { branch_name: 'master', content: 'x', commit_message: 'One', file_path: 'a' };
    await trellis.as(owner).post(`/projects/${String(project.id)}/repository/files`, file);
    const updates = await trellis.rows<{ hook_id: number; body: string }>(
      `SELECT d.hook_id, e.body FROM hook_deliveries d JOIN hook_events e ON e.id = d.event_id
        WHERE d.hook_id = ANY($1) AND d.kind = 'repository_update'`,
      [[id, older.id]],
    );
    expect(updates.map(({ hook_id }) => hook_id)).toEqual([id]);
    expect(JSON.parse(updates[0]?.body ?? '')).toMatchObject({
      event_name: 'repository_update',
      user_username: owner.user.username,
      user_email: '[REDACTED]',
      project_id: project.id,
      refs: ['refs/heads/master'],
      changes: [{ ref: 'refs/heads/master', before: '0'.repeat(40) }],
    });
    await trellis
      .as(admin)
      .v4.delete(`/hooks/${String(id)}`)
      .expect(204);
  });

  it('is given to the command as an ID and a number', () => {
    expect(toHookVersion(['7', '4'])).toEqual({ id: 7, version: 4 });
    for (const args of [[], ['7'], ['0', '4'], ['x', '4'], ['7', '5']]) {
      expect(() => toHookVersion(args)).toThrow(/first argument|3 or 4/);
    }
  });
});
