import { DataSource } from 'typeorm';
import { GroupMembersService } from '../../../src/modules/memberships/members/group-members.service.js';
import { RemoveExpiredAccessJob } from '../../../src/modules/memberships/remove-expired-access.job.js';
import { AccountErasure } from '../../../src/modules/users/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { dayFromNow, untilMidnightIsFar } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

const EXPIRED = 'removed due to membership expiration from';

const NEVER = null;
const PAST = '2001-01-01';

describe('the daily removal of expired rows', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let today: string;
  let tomorrow: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  beforeEach(async () => {
    await untilMidnightIsFar();
    [today, tomorrow] = [dayFromNow(0), dayFromNow(1)];
    project = await trellis.factories.project(owner);
  });

  const clearProjects = (signal = new AbortController().signal) =>
    trellis.app.get(RemoveExpiredAccessJob).handle({}, { signal });
  const clearGroups = (signal = new AbortController().signal) =>
    trellis.app.get(GroupMembersService).handle({}, { signal });

  const memberIds = async (table: string, parent: string, id: number): Promise<number[]> => {
    const rows = await trellis.rows<{ user_id: number }>(
      `SELECT user_id FROM ${table} WHERE ${parent} = $1 ORDER BY user_id`,
      [id],
    );
    return rows.map(({ user_id: userId }) => userId);
  };
  const projectMembers = (id = project.id) => memberIds('project_members', 'project_id', id);
  const groupMembers = (id: number) => memberIds('group_members', 'group_id', id);
  const events = (action: string) =>
    trellis.rows<{ author_id: number }>(
      `SELECT author_id, target_type, pushed_ref FROM events
        WHERE project_id = $1 AND action = $2 ORDER BY author_id`,
      [project.id, action],
    );

  /** Gives so many people a membership of the project that has expired. */
  async function expireMany(count: number): Promise<number[]> {
    const people = await trellis.factories.crowd(count);
    await trellis.rows(
      `INSERT INTO project_members (project_id, user_id, access_level, expires_at)
       SELECT $1, id, 30, '2001-01-01' FROM unnest($2::int[]) AS id`,
      [project.id, people],
    );
    return people;
  }

  it('removes memberships of projects from their expiry on, with an event', async () => {
    const people = await Promise.all(
      [PAST, today, tomorrow, NEVER].map(async (expiresAt) => {
        const person = await trellis.factories.user();
        await trellis.factories.addToProject(project, person, 30, expiresAt);
        return person.user.id;
      }),
    );
    const [longAgo, justNow, notYet, never] = people as [number, number, number, number];
    await trellis.rows(`UPDATE projects SET last_activity_at = '2001-01-01' WHERE id = $1`, [
      project.id,
    ]);
    await clearProjects();
    expect(await projectMembers()).toEqual([owner.user.id, notYet, never].sort(byNumber));
    const expirations = [longAgo, justNow].sort(byNumber).map((author_id) => ({
      ...{ author_id, target_type: null, pushed_ref: null },
    }));
    expect(await events(EXPIRED)).toEqual(expirations);
    expect(await events('left')).toEqual([]);
    const [moved] = await trellis.rows(
      `SELECT last_activity_at > now() - interval '1 hour' AS moved FROM projects WHERE id = $1`,
      [project.id],
    );
    expect(moved).toEqual({ moved: true });
    await clearProjects();
    expect(await events(EXPIRED)).toEqual(expirations);
  });

  it('removes memberships of groups, those of owners too, without an event', async () => {
    const group = await trellis.factories.group(owner);
    const inside = await trellis.factories.project(await trellis.factories.admin(), {
      namespaceId: group.id,
    });
    const [member, stays] = [await trellis.factories.user(), await trellis.factories.user()];
    await trellis.factories.addToGroup(group, member, 20, today);
    await trellis.factories.addToGroup(group, stays, 20, tomorrow);
    await trellis.rows('UPDATE group_members SET expires_at = $1 WHERE user_id = $2', [
      PAST,
      owner.user.id,
    ]);
    await clearGroups();
    await clearGroups();
    expect(await groupMembers(group.id)).toEqual([stays.user.id]);
    const told = await trellis.rows('SELECT 1 FROM events WHERE project_id = $1 AND action = $2', [
      inside.id,
      EXPIRED,
    ]);
    expect(told).toEqual([]);
  });

  it('removes shares from their expiry on', async () => {
    const groups = await Promise.all(
      [PAST, today, tomorrow, NEVER].map(async (expiresAt) => {
        const group = await trellis.factories.group(owner);
        await trellis.factories.share(project, group, 30, expiresAt);
        return group.id;
      }),
    );
    await clearProjects();
    const left = await trellis.rows<{ group_id: number }>(
      'SELECT group_id FROM project_group_links WHERE project_id = $1',
      [project.id],
    );
    expect(left.map(({ group_id: id }) => id).sort(byNumber)).toEqual(
      groups.slice(2).sort(byNumber),
    );
    expect(await events(EXPIRED)).toEqual([]);
  });

  it('works in chunks of a bounded size', async () => {
    const people = await expireMany(1_200);
    const statements = await trellis.statements.during(() => clearProjects());
    const removals = statements.filter((sql) => sql.includes('DELETE FROM project_members'));
    expect(removals).toHaveLength(4);
    expect(await projectMembers()).toEqual([owner.user.id]);
    expect((await events(EXPIRED)).map(({ author_id: id }) => id)).toEqual(people);
  });

  it('stops with the worker, and continues in the next run', async () => {
    await expireMany(700);
    const stopped = AbortSignal.abort(new Error('the worker stops'));
    await expect(clearProjects(stopped)).rejects.toThrow('the worker stops');
    expect(await projectMembers()).toHaveLength(201);
    expect(await events(EXPIRED)).toHaveLength(500);
    await clearProjects();
    expect(await projectMembers()).toEqual([owner.user.id]);
    expect(await events(EXPIRED)).toHaveLength(700);
  });

  it('records one event for each membership with two workers', async () => {
    await expireMany(900);
    await Promise.all([clearProjects(), clearProjects()]);
    expect(await projectMembers()).toEqual([owner.user.id]);
    expect(await events(EXPIRED)).toHaveLength(900);
  });

  it('keeps a membership that is extended concurrently', async () => {
    const [userId] = await expireMany(2);
    const runner = trellis.app.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('UPDATE project_members SET expires_at = NULL WHERE user_id = $1', [
        userId,
      ]);
      await clearProjects();
      await runner.commitTransaction();
    } finally {
      await runner.release();
    }
    await clearProjects();
    expect(await projectMembers()).toEqual([owner.user.id, userId]);
    expect(await events(EXPIRED)).toHaveLength(1);
  });

  describe('and of data of deleted accounts', () => {
    it('removes memberships in chunks, and can be restarted', async () => {
      const leaver = await trellis.factories.user();
      const stays = await trellis.factories.user();
      await trellis.rows(
        `WITH groups AS (
           INSERT INTO namespaces (name, path)
           SELECT 'erased-' || n, 'erased-' || n FROM generate_series(1, 600) n RETURNING id)
         INSERT INTO group_members (group_id, user_id, access_level)
         SELECT id, person, 20 FROM groups, unnest($1::int[]) AS person`,
        [[leaver.user.id, stays.user.id]],
      );
      await trellis.factories.addToProject(project, leaver, 20);
      const remaining = async () => {
        const [row] = await trellis.rows(
          `SELECT (SELECT count(*)::int FROM group_members WHERE user_id = $1) AS groups,
                  (SELECT count(*)::int FROM project_members WHERE user_id = $1) AS projects,
                  (SELECT count(*)::int FROM group_members WHERE user_id = $2) AS others`,
          [leaver.user.id, stays.user.id],
        );
        return row;
      };
      const run = async () => {
        const more: boolean[] = [];
        for (const step of trellis.app.get(AccountErasure).steps) {
          if (step.name.endsWith('MembersRepository.removeSomeOf'))
            more.push(await step.run(leaver.user.id, 0));
        }
        return more.sort();
      };
      expect(await run()).toEqual([false, true]);
      expect(await remaining()).toEqual({ groups: 100, projects: 0, others: 600 });
      expect(await run()).toEqual([false, false]);
      expect(await remaining()).toEqual({ groups: 0, projects: 0, others: 600 });
      expect(await run()).toEqual([false, false]);
    });
  });
});

function byNumber(a: number, b: number): number {
  return a - b;
}
