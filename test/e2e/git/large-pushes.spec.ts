import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(180_000);

const MEBIBYTE = 1024 * 1024;
/** Of the process that runs the service and this test. */
const GROWTH_LIMIT = 150 * MEBIBYTE;

const WHO = 'Ada <ada@example.com> 1700000000 +0000';

describe('large pushes', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  async function make() {
    const made = await projects.make();
    const refs = new PushedRefs(trellis, made.project);
    const fastImport = (input: string) =>
      git(['fast-import', '--quiet'], { cwd: made.work.folder, input });
    return { ...made, refs, fastImport };
  }

  /** How much more memory a process had at its peak than before, while `work` was done. */
  async function growthDuring(work: () => Promise<void>): Promise<number> {
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
    try {
      await work();
    } finally {
      clearInterval(timer);
    }
    return peak - before;
  }

  it('bring 20,000 files at once, and the process caches none of them', async () => {
    const { work, refs, fastImport, project } = await make();
    const files = Array.from({ length: 20_000 }, (_, n) => {
      const text = `${String(n)} ${'x'.repeat(1_000)}\n`;
      return `M 100644 inline d${String(n % 100)}/f${String(n)}\ndata ${String(text.length)}\n${text}`;
    });
    await fastImport(
      `commit refs/heads/wide\ncommitter ${WHO}\ndata 4\nWide\nfrom refs/heads/master\n${files.join('')}\n`,
    );
    const growth = await growthDuring(async () => {
      expect(await work.push('wide')).toMatchObject({ code: 0 });
    });
    expect(growth).toBeLessThan(GROWTH_LIMIT);
    expect((await refs.git('ls-tree', '-r', '--name-only', 'wide')).split('\n')).toHaveLength(
      20_001,
    );
    const [event] = await trellis.rows<{ total: number; told: number }>(
      `SELECT (pushed_ref->'commitCount')::int AS total,
              jsonb_array_length(pushed_ref->'commits') AS told
         FROM events WHERE project_id = $1 AND pushed_ref->>'ref' = 'refs/heads/wide'`,
      [project.id],
    );
    expect(event).toEqual({ total: 1, told: 1 });
    await refs.expectSound();
  });

  it('bring 1,000 refs at once: one event each, with few statements and processes', async () => {
    const { work, refs, fastImport, project, head } = await make();
    // A history whose branches began long ago: each takes a walk to be told of.
    const main = Array.from(
      { length: 60 },
      (_, n) =>
        `commit refs/heads/master\ncommitter ${WHO}\ndata 1\nM\n${n === 0 ? `from ${head}\n` : ''}\n`,
    );
    const branch = (n: number, commits: number) =>
      Array.from(
        { length: commits },
        (_, at) =>
          `commit refs/heads/b${String(n)}\ncommitter ${WHO}\ndata 8\n${String(n).padStart(4, '0')} ${String(at).padStart(3, '0')}\n${at === 0 ? `from ${head}\n` : ''}\n`,
      ).join('');
    const branches = Array.from({ length: 700 }, (_, n) => branch(n, n === 0 ? 25 : 2));
    await fastImport([...main, ...branches].join(''));
    expect(await work.push('master')).toMatchObject({ code: 0 });
    const tags = Array.from({ length: 300 }, (_, n) => `create refs/tags/t${String(n)} ${head}\n`);
    await git(['update-ref', '--stdin'], { cwd: work.folder, input: tags.join('') });

    const spawned = trellis.git.spawnCount;
    let statements: string[] = [];
    const growth = await growthDuring(async () => {
      statements = await trellis.statements.during(async () => {
        const specs = ['refs/heads/b*:refs/heads/b*', 'refs/tags/*:refs/tags/*'];
        const { code, stderr } = await work.push('--quiet', ...specs);
        expect(code).toBe(0);
        // Nothing but where to open a merge request, for each branch
        // (docs/reference/git.md#what-follows-a-push).
        expect(stderr.match(/To create a merge request for b\d+, visit:/g)).toHaveLength(700);
        expect(stderr).not.toMatch(/^(?!remote: )./m);
      });
    });
    expect(growth).toBeLessThan(GROWTH_LIMIT);
    expect(statements.length).toBeLessThan(100);
    expect(trellis.git.spawnCount - spawned).toBeLessThan(40);
    expect(await refs.all()).toHaveLength(1_001);

    const events = await trellis.rows<{ ref: string; total: number; told: number }>(
      `SELECT pushed_ref->>'ref' AS ref, (pushed_ref->'commitCount')::int AS total,
              jsonb_array_length(pushed_ref->'commits') AS told
         FROM events WHERE project_id = $1 AND action = 'pushed new'`,
      [project.id],
    );
    const told = new Map(events.map(({ ref, total, told: count }) => [ref, { total, count }]));
    expect(events).toHaveLength(1_001);
    expect(told.size).toBe(1_001);
    expect(told.get('refs/heads/b0')).toEqual({ total: 25, count: 20 });
    expect(told.get('refs/heads/b1')).toEqual({ total: 2, count: 2 });
    expect(told.get('refs/heads/b699')).toEqual({ total: 2, count: 2 });
    expect(told.get('refs/tags/t299')).toEqual({ total: 1, count: 1 });
    await refs.expectSound();

    const deleted = await work.push('--quiet', ...refsOf('b', 300), ...refsOf('t', 100));
    expect(deleted).toMatchObject({ code: 0 });
    expect(await refs.all()).toHaveLength(601);
    expect(
      await trellis.rows(`SELECT 1 FROM events WHERE project_id = $1 AND action = 'deleted'`, [
        project.id,
      ]),
    ).toHaveLength(400);
  });

  function refsOf(letter: 'b' | 't', count: number): string[] {
    const folder = letter === 'b' ? 'refs/heads' : 'refs/tags';
    return Array.from({ length: count }, (_, n) => `:${folder}/${letter}${String(n)}`);
  }
});
