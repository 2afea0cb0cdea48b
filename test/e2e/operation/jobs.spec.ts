import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { OutboxRelay } from '../../../src/platform/queue/outbox/outbox-relay.js';
import { ZERO_OID } from '../../../src/git/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { sendPush } from '../../support/raw-push.js';
import { Trellis } from '../../support/trellis.js';
import { pushBody, packOf } from '../../unit/git/support/raw-push.js';
import { eventually } from '../../unit/queue/support/eventually.js';

jest.setTimeout(180_000);

/** For what several processes have to get round to on a busy machine. */
const PATIENCE_MS = 60_000;

describe('the jobs of projects and pushes', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance', runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.stop();
  });

  const folderOf = ({ id }: MadeProject): string =>
    trellis.app.get(ProjectStorage).path({ id, storage: 'default' });

  const below = (project: MadeProject, ...names: string[]): Promise<string[]> =>
    readdir(path.join(folderOf(project), ...names)).catch(() => []);

  /** Lets jobs that are to wait for more of their kind run now. */
  async function runWaitingJobs(): Promise<void> {
    await trellis.rows('UPDATE outbox SET run_at = now() WHERE enqueued_at IS NULL');
    const relay = trellis.app.get(OutboxRelay);
    await eventually(async () => {
      relay.wake();
      expect(await trellis.rows('SELECT name, error FROM outbox')).toEqual([]);
    }, PATIENCE_MS);
  }

  const events = ({ id }: MadeProject, ref: string) =>
    trellis.rows<{ action: string; before: string; after: string }>(
      `SELECT action, pushed_ref->>'oldOid' AS before, pushed_ref->>'newOid' AS after FROM events
        WHERE project_id = $1 AND pushed_ref->>'ref' = $2 ORDER BY id`,
      [id, ref],
    );

  it('pack a repository after pushes', async () => {
    const { project, work, head } = await pushed.make();
    await runWaitingJobs();
    const graphs = await below(project, 'objects', 'info', 'commit-graphs');
    expect(graphs.some((name) => name.endsWith('.graph'))).toBe(true);
    const packs = await below(project, 'objects', 'pack');
    expect(packs).toContain('multi-pack-index');
    expect(packs.filter((name) => name.endsWith('.pack'))).toHaveLength(1);
    expect(await below(project)).not.toContain('housekeeping.lock');
    expect(await work.git('ls-remote', work.remote, 'refs/heads/master')).toContain(head);
  });

  it('keep a repository in few packs under frequent pushes', async () => {
    const { project, work } = await pushed.make();
    for (let count = 0; count < 6; count += 1) {
      await work.commit(`Commit ${count}`);
      expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    }
    await runWaitingJobs();
    const packs = await below(project, 'objects', 'pack');
    expect(packs.filter((name) => name.endsWith('.pack')).length).toBeLessThan(4);
    await work.git('fetch', '--quiet', work.remote);
  });

  it('remove the repository and the rows of a deleted project', async () => {
    const { project } = await pushed.make();
    const { project: other } = await pushed.make();
    expect(await below(project)).toContain('HEAD');
    await trellis.as(owner).delete(`/projects/${project.id}`).expect(200);
    await eventually(async () => {
      expect(await trellis.rows('SELECT 1 FROM projects WHERE id = $1', [project.id])).toEqual([]);
    }, PATIENCE_MS);
    expect(await readdir(path.dirname(folderOf(project))).catch(() => [])).toEqual([]);
    for (const table of ['events', 'project_members', 'protected_branches', 'push_intents']) {
      const rows = await trellis.rows(`SELECT 1 FROM ${table} WHERE project_id = $1`, [project.id]);
      expect(rows).toEqual([]);
    }
    await runWaitingJobs();
    expect(await below(other)).toContain('HEAD');
    await trellis.as(owner).get(`/projects/${other.id}`).expect(200);
  });

  it('accept housekeeping of a project that was deleted in the meantime', async () => {
    const { project, work } = await pushed.make();
    await work.commit();
    await Promise.all([
      work.push('HEAD:refs/heads/late'),
      trellis.as(owner).delete(`/projects/${project.id}`),
    ]);
    await runWaitingJobs();
    await eventually(async () => {
      expect(await trellis.rows('SELECT 1 FROM projects WHERE id = $1', [project.id])).toEqual([]);
    }, PATIENCE_MS);
  });

  it('announce a change of a ref once when two pushes request it', async () => {
    const { project, work, head } = await pushed.make();
    expect(await events(project, 'refs/heads/master')).toHaveLength(1);
    // The slower one of two clients that saw no such branch and push the same commit.
    const late = { ref: 'refs/heads/master', oldOid: ZERO_OID, newOid: head };
    const body = pushBody([late], 'report-status', await packOf(work.folder, head));
    const answer = await sendPush(trellis, { project, person: owner }, body);
    expect(answer).toContain('ng refs/heads/master');
    expect(await events(project, 'refs/heads/master')).toEqual([
      { action: 'pushed new', before: ZERO_OID, after: head },
    ]);
  });
});
