/** @campaign agreement */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isSeedFixed, lengthOf, seedOf } from '../../support/lengths.js';
import { type MergePlace, Merging } from '../../support/merging.js';
import { Trellis } from '../../support/trellis.js';
import { wideHistory } from '../../support/wide-history.js';
import { git, tryGit } from '../../unit/git/support/workshop.js';

const SEED = seedOf(3);
const SEEDS = lengthOf({ brief: [SEED], campaign: [SEED, SEED + 8] });

jest.setTimeout(240_000);

describe('the result of accepting merge requests', () => {
  let trellis: Trellis;
  let merging: Merging;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
  });
  afterAll(async () => {
    await merging.end();
  });

  /**
   * The tree that `git merge` makes of two heads; null where it conflicts or finds nothing to merge, undefined where an
   * assertion of git's own fails, as of `handle_content_merge` in some histories.
   */
  async function mergedByGit(
    cwd: string,
    ours: string,
    theirs: string,
  ): Promise<string | null | undefined> {
    await git(['clean', '-dffxq'], { cwd });
    await git(['checkout', '--quiet', '--force', '--detach', ours], { cwd });
    const contained = await tryGit(['merge-base', '--is-ancestor', theirs, ours], { cwd });
    if (contained.code === 0) return null;
    const { code } = await tryGit(['merge', '--quiet', '--no-ff', '--no-commit', theirs], { cwd });
    // 128 is what git itself ends with.
    const hasCrashed = code > 128;
    if (hasCrashed) await rm(path.join(cwd, '.git', 'index.lock'), { force: true });
    const tree = code === 0 ? await git(['write-tree'], { cwd }) : null;
    await git(['reset', '--quiet', '--hard'], { cwd });
    return hasCrashed ? undefined : tree;
  }

  /** Pairs of branches of a generated history, each first one under a name of its own as well. */
  async function pushPairs(
    { work }: MergePlace,
    seed: number,
  ): Promise<[string, string, string][]> {
    const cwd = work.folder;
    await git(['fast-import', '--quiet', '--force'], { cwd, input: wideHistory(seed, 40) });
    await work.git('config', 'core.symlinks', 'false');
    const list = await git(['for-each-ref', '--format=%(refname:short)', 'refs/heads'], { cwd });
    const branches = list.split('\n').filter((name) => name !== 'master');
    const pairs = branches.flatMap((ours, at) =>
      branches.slice(at + 1).map((theirs): [string, string] => [ours, theirs]),
    );
    const targets = pairs.map(([ours], at) => `refs/heads/${ours}:refs/heads/onto-${String(at)}`);
    const sources = branches.map((name) => `refs/heads/${name}:refs/heads/${name}`);
    expect((await work.push(...sources, ...targets)).code).toBe(0);
    return pairs.map(([ours, theirs], at) => [ours, theirs, `onto-${String(at)}`]);
  }

  it('equals git merge, including refusals of conflicts', async () => {
    const outcomes = new Set<number>();
    for (const seed of SEEDS) {
      const place = await merging.place();
      for (const [ours, theirs, target] of await pushPairs(place, seed)) {
        const heads = [`refs/heads/${ours}`, `refs/heads/${theirs}`] as const;
        const expected = await mergedByGit(place.work.folder, ...heads);
        const request = await place.open(theirs, { fields: { target_branch: target } });
        const { status } = await place.accept(request);
        if (expected === undefined) {
          const tip = await place.refs.git('rev-parse', target);
          expect({ status, tip }).toEqual({
            status: 405,
            tip: await place.refs.git('rev-parse', ours),
          });
          continue;
        }
        expect({ ours, theirs, status }).toEqual({
          ...{ ours, theirs },
          status: expected === null ? 405 : 200,
        });
        outcomes.add(status);
        if (expected === null) continue;
        expect(await place.refs.git('rev-parse', `${target}^{tree}`)).toBe(expected);
      }
      await place.refs.expectSound();
    }
    if (isSeedFixed()) expect(outcomes).toEqual(new Set([200, 405]));
  });
});
