import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const MASTER = 'refs/heads/master';
const TOO_LATE = '2 minutes';

describe('a file system that shows pushes of other processes late', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  beforeEach(async () => {
    pushed = await projects.make();
    await recordElsewhere({ [MASTER]: 'e'.repeat(40) });
  });

  /** Does in the database what the record of a push through another machine does. */
  async function recordElsewhere(targets: Record<string, string | null>): Promise<void> {
    await trellis.rows(
      `WITH raised AS (UPDATE projects SET refs_version = refs_version + 1 WHERE id = $1)
       INSERT INTO ref_moves (project_id, process, targets) VALUES ($1, $2, $3)`,
      [pushed.project.id, randomUUID(), JSON.stringify(targets)],
    );
  }

  const base = () => `/projects/${String(pushed.project.id)}/repository`;
  const read = () => trellis.as(owner).get(`${base()}/commits/master`);
  const commitTo = (branch: string) => {
    const change = { file_path: 'new.txt', content: 'x', commit_message: 'x' };
    return trellis.as(owner).post(`${base()}/files`, { ...change, branch_name: branch });
  };

  it('is read after a delay', async () => {
    await read().expect(200);
    await read().expect(200);
  });

  it('is trusted once it has shown the recorded refs', async () => {
    pushed = await projects.make();
    const { head, work, project } = pushed;
    await recordElsewhere({ [MASTER]: head });
    await read().expect(200);
    const next = await work.commit('Next');
    expect((await work.push(`${next}:refs/heads/other`)).code).toBe(0);
    // As an older version beside this one pushes: it raises the version, and records no value.
    const { folder } = new PushedRefs(trellis, project);
    await promisify(execFile)('git', ['-C', folder, 'update-ref', MASTER, next]);
    await recordElsewhere({});
    await commitTo('master').expect(200);
  });

  it('accepts pushes to other refs, and refuses the recorded ones until the record is old', async () => {
    const { work, project } = pushed;
    const refused = await commitTo('master').expect(503);
    expect(refused.headers['retry-after']).toBe('5');
    const next = await work.commit('Next');
    const both = await work.push(`${next}:${MASTER}`, `${next}:refs/heads/other`);
    expect(both.stderr).toContain('The storage does not show the last push yet. Try again later.');
    expect((await work.push(`${next}:refs/heads/other`)).code).toBe(0);
    await commitTo('other').expect(200);
    await trellis.rows(
      `UPDATE ref_moves SET created_at = now() - $2::interval WHERE project_id = $1`,
      [project.id, TOO_LATE],
    );
    expect((await work.push(`${next}:${MASTER}`)).code).toBe(0);
    await commitTo('master').expect(200);
    const found = await trellis.rows(
      `SELECT 1 FROM ref_moves WHERE project_id = $1 AND created_at < now() - interval '1 minute'`,
      [project.id],
    );
    expect(found).toEqual([]);
  });
});
