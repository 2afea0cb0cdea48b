import type { Oid, PushedRange, Repository } from '../../../src/git/index.js';
import { numbers, type Numbers } from './support/odd-history.js';
import {
  git,
  importStream,
  type ImportedCommit,
  line,
  revLists,
  Workshop,
} from './support/workshop.js';

const ROUNDS = 8;
const COMMITS = 90;
const START = 1_700_000_000;

describe('the commits of the refs of one push', () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  const revList = async (repository: Repository, ...args: string[]) =>
    (await git(['rev-list', ...args], { cwd: repository.path })).split('\n').filter(Boolean);

  /** Commit `n` is the branch `c<n>`, so that everything can be asked for. */
  async function made(commits: ImportedCommit[]): Promise<[Repository, Oid[]]> {
    const branches = commits.map((commit, at) => ({ ...commit, branch: `c${String(at + 1)}` }));
    const repository = await workshop.repository(importStream(branches));
    const names = branches.map(({ branch }) => branch);
    const oids = await git(['rev-parse', ...names], { cwd: repository.path });
    return [repository, oids.split('\n')];
  }

  /** Lines, merges, beginnings, and many commits of the same second. */
  const generated = (random: Numbers): ImportedCommit[] =>
    Array.from({ length: COMMITS }, (_, index) => {
      const near = () => Math.max(1, index - random(8));
      const kind = index === 0 ? 0 : random(12);
      const parents = kind === 0 ? [] : kind < 4 ? [near(), 1 + random(index)] : [near()];
      return { time: START + Math.floor(index / 3), parents: [...new Set(parents)] };
    });

  /** As git itself says it. */
  async function expected(repository: Repository, ranges: PushedRange[]) {
    const asked = ranges.map(({ tip, base }) => `${tip}${base === null ? '' : ` ^${base}`}`);
    const lists = await revLists(repository.path, asked);
    return ranges.map(({ limit }, at) => {
      const all = lists[at] ?? [];
      return { status: 'fulfilled', value: { newest: all.slice(0, limit), total: all.length } };
    });
  }

  it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
    'match git for each, in generated histories (seed %d)',
    async (seed) => {
      const random = numbers(seed);
      const [repository, oids] = await made(generated(random));
      const any = () => oids[random(COMMITS)] ?? '';
      const [trunk, ...bases] = Array.from({ length: 1 + random(24) }, any);
      const ranges = Array.from({ length: 40 }, (_, at): PushedRange => {
        const kind = random(8);
        const base = kind === 0 ? null : kind < 4 ? (trunk ?? null) : (bases[at] ?? any());
        return { tip: any(), base, limit: 7 };
      });
      const found = await repository.pushedCommitsOfEach(ranges);
      const wanted = await expected(repository, ranges);
      expect(found).toEqual(wanted);

      const history = await repository.readPushHistory(ranges);
      expect(await repository.pushedCommitsOfEach(ranges, history)).toEqual(wanted);
      const [one, other] = [any(), any()];
      if (await history.isKnownAncestor(one, other)) {
        expect(await repository.isAncestor(one, other)).toBe(true);
      }
    },
  );

  it('take one process for a first push of very many branches', async () => {
    const commits = Array.from({ length: 300 }, (_, index) => ({
      parents: index === 0 ? [] : [index - (index % 3 === 0 ? 0 : index % 2) || 1],
    }));
    const [repository, oids] = await made(commits);
    const trunk = oids.at(-1) ?? '';
    const ranges = oids.map((tip): PushedRange => {
      return { tip, base: tip === trunk ? null : trunk, limit: 3 };
    });
    await repository.objects.commits(oids);
    const started = workshop.git.spawnCount;
    const found = await repository.pushedCommitsOfEach(ranges);
    expect(workshop.git.spawnCount - started).toBe(1);
    const wanted = await expected(repository, ranges);
    expect(found).toEqual(wanted);
  });

  it('take one process for branches that have each advanced', async () => {
    const commits: ImportedCommit[] = [{ parents: [] }];
    for (let branch = 0; branch < 40; branch += 1) {
      const first = commits.push({ parents: [1] });
      commits.push({ parents: [first] }, { parents: [first + 1] });
    }
    const [repository, oids] = await made(commits);
    const ranges = Array.from({ length: 40 }, (_, branch): PushedRange => {
      return { tip: oids[3 * branch + 3] ?? '', base: oids[3 * branch + 1] ?? '', limit: 5 };
    });
    await repository.objects.commits(oids);
    const started = workshop.git.spawnCount;
    const found = await repository.pushedCommitsOfEach(ranges);
    expect(workshop.git.spawnCount - started).toBe(1);
    expect(found).toEqual(await expected(repository, ranges));
  });

  it('exclude existing commits for a branch created at another one', async () => {
    const repository = await workshop.repository(line(50));
    const [tip = ''] = await revList(repository, 'master');
    const history = await repository.readPushHistory([{ tip, base: tip }]);
    expect(await history.totalsOf([tip])).toEqual([0]);
    expect(await history.commitsOf([{ tip, base: tip, limit: 3 }])).toEqual([
      { newest: [], total: 0 },
    ]);
  });

  it('include the number of commits of each tip', async () => {
    const [repository, oids] = await made(
      [{}, {}, {}, {}].map((_, at) => ({ parents: at === 0 ? [] : [at] })),
    );
    const ranges = oids.map((tip) => ({ tip, base: null }));
    const history = await repository.readPushHistory(ranges);
    expect(await history.totalsOf(oids)).toEqual([1, 2, 3, 4]);
  });
});
