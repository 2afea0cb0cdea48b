import type { MadeProject, Person } from '../../support/factories.js';
import type { Checkout } from '../../support/checkout.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { numbers } from '../../unit/git/support/odd-history.js';
import {
  git,
  importStream,
  type ImportedCommit,
  revLists,
} from '../../unit/git/support/workshop.js';

jest.setTimeout(180_000);

const COMMITS = 150;
const BRANCHES = 45;
const REQUESTS = 20;

interface Told {
  ref: string;
  before: string;
  total: number;
  commits: string[];
}

describe('pushes of many branches with histories of their own', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  async function makeEmpty() {
    const project = await trellis.factories.project(owner);
    const work = await projects.checkout(project, owner);
    const refs = new PushedRefs(trellis, project);
    const fastImport = (input: string) =>
      git(['fast-import', '--quiet', '--force'], { cwd: work.folder, input });
    return { project, work, refs, fastImport };
  }

  /** The ids of imported commits, each of which has a branch. */
  async function oidsOf(work: Checkout, commits: readonly ImportedCommit[]): Promise<string[]> {
    const names = commits.map(({ branch = '' }) => `refs/heads/${branch}`);
    return (await work.git('rev-parse', ...names)).split('\n');
  }

  /** What the feeds tell of the latest pushes, the oldest first. */
  const told = ({ id }: MadeProject, since = 0) =>
    trellis.rows<Told & { id: number }>(
      `SELECT id, pushed_ref->>'ref' AS ref, pushed_ref->>'oldOid' AS before,
              (pushed_ref->'commitCount')::int AS total,
              (SELECT coalesce(array_agg(one->>'oid'), '{}')
                 FROM jsonb_array_elements(pushed_ref->'commits') one) AS commits
         FROM events WHERE project_id = $1 AND id > $2 AND pushed_ref->>'ref' LIKE 'refs/heads/%'
        ORDER BY id`,
      [id, since],
    );

  const defaultBranch = async ({ id }: MadeProject) => {
    const answer = await trellis
      .as(owner)
      .get(`/projects/${String(id)}`)
      .expect(200);
    return (answer.body as { default_branch: string | null }).default_branch;
  };

  it.each([1, 2])('record for every branch what git reports (seed %d)', async (seed) => {
    const { project, work, fastImport, refs } = await makeEmpty();
    const random = numbers(seed);
    const commits = Array.from({ length: COMMITS }, (_, index): ImportedCommit => {
      const near = () => Math.max(1, index - random(6));
      const kind = index === 0 ? 0 : random(14);
      const parents = kind === 0 ? [] : kind < 4 ? [near(), 1 + random(index)] : [near()];
      return { parents: [...new Set(parents)], branch: `c${String(index + 1)}` };
    });
    await fastImport(importStream(commits));
    const oids = await oidsOf(work, commits);
    const any = () => 1 + random(COMMITS);
    const nameOf = (mark: number) => `refs/heads/c${String(mark)}`;
    const names = Array.from({ length: BRANCHES }, (_, at) => `b${String(at).padStart(2, '0')}`);
    const begun = names.slice(0, BRANCHES - 10).map((name) => ({ name, from: nameOf(any()) }));
    const lists = await revLists(
      work.folder,
      begun.map(({ from }) => from),
    );
    const totals = new Map(begun.map(({ name }, at) => [name, lists[at]?.length ?? 0]));
    const specs = begun.map(({ name, from }) => `${from}:refs/heads/${name}`);
    expect(await work.push('--quiet', ...specs)).toMatchObject({ code: 0 });
    const most = Math.max(...totals.values());
    const largest = [...totals].find(([, total]) => total === most)?.[0] ?? '';
    expect(await defaultBranch(project)).toBe(largest);
    expect(await refs.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${largest}`);

    /** Compares what is told since an event with git, the default branch being where it is now. */
    const compare = async (since: number, pushed: readonly string[]) => {
      const events = await told(project, since);
      expect(events.map(({ ref }) => ref).sort()).toEqual(
        pushed.map((name) => `refs/heads/${name}`).sort(),
      );
      const targets = await refs.targets();
      const trunk = targets.get(`refs/heads/${largest}`) ?? '';
      const ranges = events.map(({ ref, before }) => {
        const tip = targets.get(ref) ?? '';
        const isNew = /^0+$/.test(before);
        const base = isNew ? (ref === `refs/heads/${largest}` ? null : trunk) : before;
        return base === null ? tip : `${tip} ^${base}`;
      });
      const lists = await revLists(work.folder, ranges);
      for (const [at, { ref, total, commits: named }] of events.entries()) {
        const all = lists[at] ?? [];
        expect([ref, total, named]).toEqual([ref, all.length, all.slice(0, 20).reverse()]);
      }
      return Math.max(...events.map(({ id }) => id));
    };
    let seen = await compare(0, names.slice(0, BRANCHES - 10));

    // Moves forward, backward and aside, and new branches, in one push; the default branch goes on.
    for (let round = 0; round < 2; round += 1) {
      const moves = new Map<string, string>();
      const ahead = await git(
        [
          ...['commit-tree', '-p', await refs.git('rev-parse', largest), '-m', 'On'],
          `${nameOf(any())}^{tree}`,
        ],
        { cwd: work.folder },
      );
      const targets = await refs.targets();
      moves.set(largest, ahead);
      for (const name of names) {
        const target = oids[any() - 1] ?? '';
        const current = targets.get(`refs/heads/${name}`);
        if (name !== largest && target !== current && random(3) > 0) moves.set(name, target);
      }
      const updates = [...moves].map(([name, oid]) => `+${oid}:refs/heads/${name}`);
      expect(await work.push('--quiet', ...updates)).toMatchObject({ code: 0 });
      seen = await compare(seen, [...moves.keys()]);
    }
    await refs.expectSound();
  });

  it('update every merge request of their branches', async () => {
    const { project, work, fastImport, refs } = await makeEmpty();
    const random = numbers(3);
    const commits = Array.from({ length: COMMITS }, (_, index): ImportedCommit => {
      const parents = index === 0 ? [] : [Math.max(1, index - random(4)), 1 + random(index)];
      return { parents: [...new Set(parents)], branch: `c${String(index + 1)}` };
    });
    await fastImport(importStream(commits));
    const oids = await oidsOf(work, commits);
    const any = () => oids[random(COMMITS)] ?? '';
    const pairs = Array.from({ length: REQUESTS }, (_, at) => {
      const head = 1 + random(COMMITS - 1);
      const before = { source: oids[head] ?? '', target: oids[random(head)] ?? '' };
      return { source: `s${String(at)}`, target: `t${String(at)}`, before };
    });
    const specs = pairs.flatMap(({ source, target, before }) => [
      `${before.source}:refs/heads/${source}`,
      `${before.target}:refs/heads/${target}`,
    ]);
    // Not one of them: the default branch is protected from moving backward.
    specs.push(`${oids[0] ?? ''}:refs/heads/master`);
    expect(await work.push('--quiet', ...specs)).toMatchObject({ code: 0 });
    const requests = `/projects/${String(project.id)}/merge_requests`;
    for (const { source, target } of pairs) {
      const body = { source_branch: source, target_branch: target, title: source };
      await trellis.as(owner).post(requests, body).expect(200);
    }

    // Of each pair one branch moves, somewhere.
    const moves = pairs.map(({ source, target }, at) => ({
      name: at % 3 === 0 ? source : target,
      to: any(),
    }));
    const updates = moves.map(({ name, to }) => `+${to}:refs/heads/${name}`);
    expect(await work.push('--quiet', ...updates)).toMatchObject({ code: 0 });

    const { body } = await trellis.as(owner).get(`${requests}?per_page=100`).expect(200);
    const shown = body as { id: number; source_branch: string; state: string; sha: string }[];
    expect(shown).toHaveLength(REQUESTS);
    const states = new Set<string>();
    const targets = await refs.targets();
    const moved = pairs.map(({ source, target, before }) => ({
      source,
      head: targets.get(`refs/heads/${source}`) ?? '',
      base: targets.get(`refs/heads/${target}`) ?? '',
      formerBase: before.target,
    }));
    const outside = (of: 'base' | 'formerBase') =>
      revLists(
        work.folder,
        moved.map((one) => `${one.head} ^${one[of]}`),
      );
    const [lists, formerLists] = [await outside('base'), await outside('formerBase')];
    for (const [at, { source, head, base, formerBase }] of moved.entries()) {
      const request = shown.find(({ source_branch }) => source_branch === source);
      const isMerged = base !== formerBase && lists[at]?.length === 0;
      expect(request).toMatchObject({ state: isMerged ? 'merged' : 'opened', sha: head });
      states.add(request?.state ?? '');
      const answer = await trellis
        .as(owner)
        .get(`${requests}/${String(request?.id)}/commits?per_page=100`)
        .expect(200);
      const listed = (answer.body as { id: string }[]).map(({ id }) => id);
      const expected = (isMerged ? formerLists : lists)[at] ?? [];
      expect([source, listed.sort()]).toEqual([source, expected.sort()]);
    }
    expect([...states].sort()).toEqual(['merged', 'opened']);
  });

  it('make main the default branch without a master', async () => {
    const { project, work, fastImport } = await makeEmpty();
    await fastImport(
      importStream([{ branch: 'main' }, { branch: 'a', parents: [1] }, { branch: 'a' }]),
    );
    expect(await work.push('refs/heads/*:refs/heads/*')).toMatchObject({ code: 0 });
    expect(await defaultBranch(project)).toBe('main');
  });

  it('close issues on the default branch and mention them on the others', async () => {
    const { project, work, fastImport } = await makeEmpty();
    const issues = `/projects/${String(project.id)}/issues`;
    for (const title of ['One', 'Two', 'Three']) {
      await trellis.as(owner).post(issues, { title }).expect(200);
    }
    await fastImport(importStream([{}, { message: 'Long ago' }]));
    expect(await work.push('master')).toMatchObject({ code: 0 });
    const side = Array.from({ length: 60 }, (_, at): ImportedCommit[] => [
      { branch: `side${String(at)}`, parents: [1], message: `Closes #2, by ${String(at)}` },
      { branch: `side${String(at)}`, message: `Nothing ${String(at)}` },
    ]).flat();
    await fastImport(
      importStream([{}, { message: 'Long ago' }, { message: 'Closes #1' }, ...side]),
    );
    expect(await work.push('--quiet', 'refs/heads/*:refs/heads/*')).toMatchObject({ code: 0 });
    await until(async () => {
      const jobs = await trellis.rows(`SELECT 1 FROM outbox WHERE queue = 'issues' LIMIT 1`);
      return jobs.length === 0;
    });
    const rows = await trellis.rows<{ iid: number; state: string; notes: number }>(
      `SELECT i.iid, i.state, (SELECT count(*)::int FROM notes n
                WHERE n.noteable_type = 'Issue' AND n.noteable_id = i.id AND n.body LIKE 'mentioned in commit%') AS notes
         FROM issues i WHERE i.project_id = $1 ORDER BY i.iid`,
      [project.id],
    );
    expect(rows).toEqual([
      { iid: 1, state: 'closed', notes: 0 },
      { iid: 2, state: 'opened', notes: 60 },
      { iid: 3, state: 'opened', notes: 0 },
    ]);
  });
});
