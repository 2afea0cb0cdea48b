/** @campaign agreement */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Person } from '../../support/factories.js';
import { lengthOf, seedOf } from '../../support/lengths.js';
import { asAnswered, type ShownDiff } from '../../support/shown-diffs.js';
import {
  asCommit,
  asListItem,
  commitsFromGit,
  statsFromGit,
} from '../../support/commits-from-git.js';
import {
  allPages,
  type HistoryName,
  pushHistory,
  spread,
  type PushedHistory,
} from '../../support/pushed-history.js';
import { Trellis } from '../../support/trellis.js';
import { diffFromGit, EMPTY_TREE } from '../../unit/git/support/changes-from-git.js';
import { git, tryGit } from '../../unit/git/support/workshop.js';

interface RefBody {
  name: string;
  commit: { id: string } | null;
}

interface ComparisonBody {
  commit: object | null;
  commits: object[];
  diffs: ShownDiff[];
  compare_timeout: boolean;
  compare_same_ref: boolean;
}

const SEED = seedOf(1);
const HISTORIES = lengthOf<HistoryName[]>({ brief: [SEED], campaign: [SEED, SEED + 1, 'own'] });
/** How many of each are looked at in any one history. */
const COMMITS = lengthOf({ brief: 15, campaign: 40 });
const COMPARISONS = lengthOf({ brief: 3, campaign: 6 });
const REFS = lengthOf({ brief: 6, campaign: 20 });
const PATHS = lengthOf({ brief: 5, campaign: 12 });

jest.setTimeout(120_000);

describe('commits through the API', () => {
  let trellis: Trellis;
  let owner: Person;
  let folder: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-agreement-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  describe.each<HistoryName>(HISTORIES)('agree with git, in history %s,', (name) => {
    let history: PushedHistory;

    beforeAll(async () => {
      history = await pushHistory(trellis, owner, name, folder);
    });

    const listed = (query: string, perPage?: number) =>
      allPages<object>(history.client, `${history.base}/commits?${query}`, perPage);

    const logged = async (...args: string[]) =>
      (await commitsFromGit(history.source, '--topo-order', ...args)).map(asListItem);

    it('in lists of every ref', async () => {
      expect(await listed('')).toEqual(await logged(history.defaultBranch));
      expect(await listed('', 7)).toEqual(await logged(history.defaultBranch));
      for (const ref of spread(history.refs, REFS)) {
        const query = `ref_name=${encodeURIComponent(ref)}`;
        expect(await listed(query)).toEqual(await logged(ref));
      }
    });

    it('in lists of a period, both ends inclusive', async () => {
      const all = await commitsFromGit(history.source, '--topo-order', history.defaultBranch);
      const times = all.map(({ time }) => time).sort((a, b) => a - b);
      const [, one = 0, two = 0] = spread(times, 3);
      const between = (from: number, to: number) =>
        all.filter(({ time }) => time >= from && time <= to).length;
      const iso = (time: number) => new Date(time).toISOString();
      const since = await listed(`since=${iso(one)}`);
      expect(since).toEqual(await logged(`--since-as-filter=${iso(one)}`, history.defaultBranch));
      expect(since).toHaveLength(between(one, Infinity));
      const until = await listed(`until=${iso(one)}`);
      expect(until).toEqual(await logged(`--until=${iso(one)}`, history.defaultBranch));
      expect(until).toHaveLength(between(0, one));
      expect(await listed(`since=${iso(one)}&until=${iso(two)}`)).toHaveLength(between(one, two));
      expect(between(one, two)).toBeGreaterThan(0);
    });

    it('in lists of a path', async () => {
      const { defaultBranch, source } = history;
      const files = await git(['ls-tree', '-r', '-t', '-z', '--name-only', defaultBranch], {
        cwd: source,
      });
      const paths = spread(files.split('\0').filter(Boolean), PATHS);
      for (const file of [...paths, 'absent', 'a*']) {
        const query = `path=${encodeURIComponent(file)}`;
        expect(await listed(query)).toEqual(await logged(defaultBranch, '--', file));
      }
    });

    it('one by one, with their parents and lines changed', async () => {
      const all = await commitsFromGit(history.source, '--all');
      for (const commit of spread(all, COMMITS)) {
        const { id } = commit;
        const { body } = await history.client.get(`${history.base}/commits/${id}`).expect(200);
        const stats = await statsFromGit(history.source, commit.parent_ids[0] ?? EMPTY_TREE, id);
        expect(body).toEqual({ ...asCommit(commit), stats });
      }
      if (name === 'own') return;
      const parents = new Set(all.map(({ parent_ids }) => parent_ids.length));
      expect([...parents]).toEqual(expect.arrayContaining([0, 1, 2, 3]));
    });

    it('where branches and tags are', async () => {
      const targets = async (place: string) => {
        const format = '--format=%(refname:lstrip=2)%00%(if)%(*objectname)%(then)%(*objectname)';
        const text = await git(
          ['for-each-ref', `${format}%(else)%(objectname)%(end)`, `refs/${place}`],
          { cwd: history.source },
        );
        return text.split('\n').filter(Boolean).sort();
      };
      for (const [route, place] of [
        ['branches', 'heads'],
        ['tags', 'tags'],
      ] as const) {
        const shown = await allPages<RefBody>(history.client, `${history.base}/${route}`);
        const pairs = shown.map((ref) => `${ref.name}\0${ref.commit?.id ?? ''}`);
        expect(pairs.sort()).toEqual(await targets(place));
      }
    });

    it('in comparisons', async () => {
      const ends = spread([...history.refs, ...history.commits], COMPARISONS);
      for (const [index, from] of ends.entries()) {
        const to =
          index % 2 === 0 ? history.defaultBranch : (ends.at(index - COMPARISONS + 1) ?? '');
        await expectComparison(from, to);
        await expectComparison(to, from);
      }
    });

    async function expectComparison(from: string, to: string): Promise<void> {
      const { source: cwd, base, client } = history;
      const query = new URLSearchParams({ from, to }).toString();
      const { body } = await client.get(`${base}/compare?${query}`).expect(200);
      const commits = (await logged(to, `^${from}`)).reverse();
      const parted = await tryGit(['merge-base', from, to], { cwd });
      const start = parted.code === 0 ? parted.stdout.trim() : EMPTY_TREE;
      const ends = await git(['rev-parse', `${from}^{commit}`, `${to}^{commit}`], { cwd });
      const isSame = new Set(ends.split('\n')).size === 1;
      const changes = isSame ? [] : await diffFromGit(cwd, start, to);
      const comparison = body as ComparisonBody;
      expect(comparison.commits).toEqual(commits);
      expect(comparison.commit).toEqual(commits.at(-1) ?? null);
      const { diffs, isCut } = asAnswered(changes);
      expect(comparison.diffs).toEqual(diffs);
      expect(comparison.compare_timeout).toBe(isCut);
      expect(comparison.compare_same_ref).toBe(isSame);
    }
  });
});
