import { ROLES, type Role } from '../../support/cast.js';
import { eraseAtOnce } from '../../support/erasure.js';
import type { Person } from '../../support/factories.js';
import { type FilledCast, makeFilledCast } from '../../support/filled-cast.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(120_000);

interface EventBody {
  action_name: string;
  created_at: string;
  note?: { id: number; created_at: string; author: { username: string } };
}

describe('comments on commits in the feeds', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let cast: FilledCast;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    eraseAtOnce(trellis);
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    cast = await makeFilledCast(trellis);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  const comment = (project: { id: number }, note: string, person: Person, sha = 'master') =>
    trellis
      .as(person)
      .post(`/projects/${String(project.id)}/repository/commits/${sha}/comments`, { note })
      .expect(200);
  const comments = (body: unknown) =>
    (body as EventBody[]).filter(({ action_name: action }) => action === 'commented on');

  it('include the note and the title of the commit', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    await trellis.rows(`UPDATE projects SET last_activity_at = '2020-01-01' WHERE id = $1`, [
      project.id,
    ]);
    const { body: made } = await comment(project, 'Well done', owner);
    const { body } = await trellis.anonymous
      .get(`/projects/${String(project.id)}/events`)
      .expect(200);
    const [event] = body as EventBody[];
    const author = summaryOf(trellis, owner);
    const { created_at: createdAt } = made as { created_at: string };
    expect(event).toEqual({
      title: null,
      project_id: project.id,
      action_name: 'commented on',
      target_id: expect.any(Number) as number,
      target_type: 'Note',
      target_title: 'First commit',
      author_id: owner.user.id,
      author_username: owner.user.username,
      author,
      data: null,
      created_at: createdAt,
      note: {
        id: (event as { target_id?: number }).target_id,
        body: 'Well done',
        attachment: null,
        author,
        created_at: createdAt,
        updated_at: createdAt,
        system: false,
        noteable_id: null,
        noteable_type: 'Commit',
        upvote: false,
        downvote: false,
      },
    });
    expect((body as EventBody[]).slice(1).every((other) => !('note' in other))).toBe(true);
    const [row] = await trellis.rows<{ moved: boolean }>(
      `SELECT last_activity_at > '2020-01-02' AS moved FROM projects WHERE id = $1`,
      [project.id],
    );
    expect(row).toEqual({ moved: true });
    const own = await trellis
      .as(owner)
      .get(`/users/${String(owner.user.id)}/events`)
      .expect(200);
    expect((own.body as EventBody[])[0]).toEqual(event);
  });

  it('are visible to readers of the code, in both feeds and their totals', async () => {
    const author = cast.people.owner as Person;
    for (const project of Object.values(cast.projects)) await comment(project, 'Hidden', author);
    const refused = new Set<Role>(['guest', 'groupGuest']);
    const own = `/users/${String(author.user.id)}/events?per_page=100`;
    for (const role of ROLES) {
      const person = cast.people[role];
      if (person === null || role === 'blocked') continue;
      const seen = [];
      for (const visibility of [0, 10, 20] as const) {
        const address = `/projects/${String(cast.projects[visibility].id)}/events?per_page=100`;
        const { status, body, headers } = await trellis.as(person).get(address);
        if (status !== 200) continue;
        const found = comments(body);
        expect((headers as Record<string, string>)['x-total']).toBe(String((body as []).length));
        expect([role, visibility, found.length]).toEqual([
          ...[role, visibility, visibility === 0 && refused.has(role) ? 0 : 1],
        ]);
        seen.push(...found);
      }
      const { body, headers } = await trellis.as(person).get(own).expect(200);
      expect([role, comments(body).length]).toEqual([role, seen.length]);
      expect((headers as Record<string, string>)['x-total']).toBe(String((body as []).length));
    }
  });

  it('take the same number of statements for any number of comments', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    await comment(project, 'One', owner);
    const quiet = await Trellis.start({ because: 'another process', beside: trellis });
    try {
      const events = () =>
        quiet
          .as(owner)
          .get(`/projects/${String(project.id)}/events?per_page=100`)
          .expect(200);
      const count = async () => (await quiet.statements.during(events)).length;
      await events();
      const one = await count();
      const people = await trellis.factories.crowd(40);
      await trellis.rows(
        `WITH made AS (
           INSERT INTO commit_comments (project_id, sha, commit_title, author_id, note)
           SELECT $1, repeat('a', 40), 'Title', id, 'Text' FROM unnest($2::int[]) AS id
           RETURNING id, author_id)
         INSERT INTO events (project_id, author_id, action, target_type, target_id)
         SELECT $1, author_id, 'commented on', 'CommitNote', id FROM made`,
        [project.id, people],
      );
      const { body } = await events();
      expect(comments(body)).toHaveLength(41);
      expect(comments(body).every(({ note }) => note !== undefined)).toBe(true);
      expect(await count()).toBe(one);
      expect(one).toBeLessThanOrEqual(12);
    } finally {
      await quiet.stop();
    }
  });

  it('name the ghost user after their author is deleted', async () => {
    const admin = await trellis.factories.admin();
    const gone = await trellis.factories.user();
    const { project } = await projects.make({ visibilityLevel: 20 });
    await comment(project, 'Farewell', gone);
    await trellis
      .as(admin)
      .delete(`/users/${String(gone.user.id)}`)
      .expect(200);
    const read = async () => {
      const { body } = await trellis.anonymous
        .get(`/projects/${String(project.id)}/events`)
        .expect(200);
      return comments(body);
    };
    const ghost = { username: 'ghost', name: 'Ghost User' };
    const expected = [{ author: ghost, note: { body: 'Farewell', author: ghost } }];
    expect(await read()).toMatchObject(expected);
    await eventually(async () => {
      expect(await trellis.rows('SELECT 1 FROM users WHERE id = $1', [gone.user.id])).toEqual([]);
    }, 60_000);
    expect(await read()).toMatchObject(expected);
    const list = `/projects/${String(project.id)}/repository/commits/master/comments`;
    const { body } = await trellis.as(owner).get(list).expect(200);
    expect(body).toMatchObject([{ note: 'Farewell', author: ghost }]);
    const rows = await trellis.rows(
      `SELECT u.ghost FROM commit_comments c JOIN users u ON u.id = c.author_id
        WHERE c.project_id = $1`,
      [project.id],
    );
    expect(rows).toEqual([{ ghost: true }]);
  });
});
