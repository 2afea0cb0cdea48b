import { access } from 'node:fs/promises';
import { holdHousekeepingLock } from '../../../src/git/storage/housekeeping-lock.js';
import {
  BACKUP_LOCK,
  ProjectStorage,
  REPOSITORY_LOCK,
} from '../../../src/modules/storage/index.js';
import { PurgeProjectJob } from '../../../src/modules/projects/lifecycle/deletion/purge-project.job.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { addIssues } from '../../support/issue-rows.js';
import { Trellis } from '../../support/trellis.js';

describe('the data of a deleted project', () => {
  let trellis: Trellis;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });

  const pathOf = ({ id }: MadeProject) => `/projects/${String(id)}`;

  /** A project with more issues than go at once, all of them with a label, one with much else. */
  async function largeProject(): Promise<MadeProject> {
    const project = await trellis.factories.project(owner);
    const client = trellis.as(owner);
    const label = await client
      .post(`${pathOf(project)}/labels`, { name: 'bug', color: '#FF0000' })
      .expect(200);
    const labels = [(label.body as { id: number }).id];
    await addIssues(
      trellis,
      project,
      Array.from({ length: 4_100 }, () => ({ authorId: owner.user.id, labels })),
    );
    const made = await client
      .post(`${pathOf(project)}/issues`, { title: 'For @root', assignee_id: owner.user.id })
      .expect(200);
    const issue = `${pathOf(project)}/issues/${String((made.body as { id: number }).id)}`;
    await client.post(`${issue}/notes`, { body: `To @${owner.user.username}` }).expect(200);
    await client.post(`${issue}/award_emoji`, { name: 'smile' }).expect(200);
    return project;
  }

  /** How many rows of each table hang on a project, by the table's name; without empty ones, and the audit log, which stays. */
  async function remains({ id }: MadeProject): Promise<Record<string, number>> {
    const tables = await trellis.rows<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'project_id'
          AND table_name <> 'audit_events'`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await trellis.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${name} WHERE project_id = $1`,
        [id],
      );
      if (row !== undefined && row.count > 0) counts[name] = row.count;
    }
    return counts;
  }

  const repositoryOf = ({ id }: MadeProject): string =>
    trellis.app.get(ProjectStorage).path({ id, storage: 'default' });

  const purge = ({ id }: MadeProject, signal = new AbortController().signal) =>
    trellis.app
      .get(PurgeProjectJob)
      .handle({ projectId: id, storage: 'default' }, { jobId: '1', attempt: 1, signal });

  const rowOf = ({ id }: MadeProject) =>
    trellis.rows('SELECT id FROM projects WHERE id = $1', [id]);

  async function expectKept(project: MadeProject): Promise<void> {
    expect(await rowOf(project)).toEqual([{ id: project.id }]);
    await access(repositoryOf(project));
  }

  async function expectGone(project: MadeProject): Promise<void> {
    expect(await rowOf(project)).toEqual([]);
    await expect(access(repositoryOf(project))).rejects.toThrow('ENOENT');
  }

  it('is removed completely, in chunks', async () => {
    const [project, other] = [await largeProject(), await largeProject()];
    const before = await remains(other);
    expect(before).toMatchObject({ issues: 4_101, notes: 1, mentions: 1, award_emoji: 1 });
    await trellis.as(owner).delete(pathOf(project)).expect(200);
    const statements = await trellis.statements.during(() => purge(project));
    expect(statements.filter((sql) => sql.includes('DELETE FROM issues ')).length).toBe(3);
    // One finds no links to labels of a group.
    expect(statements.filter((sql) => sql.includes('DELETE FROM label_links ')).length).toBe(4);
    expect(await remains(project)).toEqual({});
    await expectGone(project);
    expect(await remains(other)).toEqual(before);
  });

  it('is removed completely after an interruption', async () => {
    const project = await largeProject();
    await trellis.as(owner).delete(pathOf(project)).expect(200);
    await expect(purge(project, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(await remains(project)).toMatchObject({ issues: 4_101 });
    await purge(project);
    expect(await remains(project)).toEqual({});
  });

  it.each<{ what: string; keyOf: (project: MadeProject) => number[] }>([
    { what: 'a backup is under way, which may need it', keyOf: () => [BACKUP_LOCK] },
    { what: 'a push moves its refs', keyOf: ({ id }) => [REPOSITORY_LOCK, id] },
  ])('is kept while $what', async ({ keyOf }) => {
    const project = await trellis.factories.project(owner);
    await trellis.as(owner).delete(pathOf(project)).expect(200);
    const key = keyOf(project);
    const holder = trellis.dataSource.createQueryRunner();
    try {
      const parameters = key.map((_, index) => `$${String(index + 1)}`).join();
      await holder.query(`SELECT pg_advisory_lock(${parameters})`, key);
      await purge(project);
      await expectKept(project);
      await holder.query(`SELECT pg_advisory_unlock(${parameters})`, key);
    } finally {
      await holder.release();
    }
    await purge(project);
    await expectGone(project);
  });

  it('is kept while git packs the repository', async () => {
    const project = await trellis.factories.project(owner);
    await trellis.as(owner).delete(pathOf(project)).expect(200);
    const lock = await holdHousekeepingLock(repositoryOf(project));
    await purge(project);
    await expectKept(project);
    await lock.release();
    await purge(project);
    await expectGone(project);
  });
});
