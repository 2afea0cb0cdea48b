import { git, tryGit } from '../unit/git/support/workshop.js';
import { type MergePlace, Merging } from '../support/merging.js';
import { Trellis } from '../support/trellis.js';
import { wideHistory } from '../support/wide-history.js';

jest.setTimeout(240_000);

describe('what accepting makes of branches', () => {
  let trellis: Trellis;
  let merging: Merging;

  beforeAll(async () => {
    trellis = await Trellis.start();
    merging = await Merging.begin(trellis);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.stop();
  });

  /** The tree that `git merge` makes of what the branch has come to and a head; null for a conflict. */
  async function mergedByGit(place: MergePlace, head: string): Promise<string | null> {
    const cwd = place.work.folder;
    await git(['fetch', '--quiet', place.work.remote, 'trunk'], { cwd });
    await git(['clean', '-dffxq'], { cwd });
    await git(['checkout', '--quiet', '--force', '--detach', 'FETCH_HEAD'], { cwd });
    const contained = await tryGit(['merge-base', '--is-ancestor', head, 'HEAD'], { cwd });
    if (contained.code === 0) return null;
    const { code } = await tryGit(['merge', '--quiet', '--no-ff', '--no-commit', head], { cwd });
    const tree = code === 0 ? await git(['write-tree'], { cwd }) : null;
    await git(['reset', '--quiet', '--hard'], { cwd });
    return tree;
  }

  it.each([3, 11])('is what git merge makes of them, history %i', async (seed) => {
    const place = await merging.place();
    const cwd = place.work.folder;
    await git(['fast-import', '--quiet', '--force'], { cwd, input: wideHistory(seed, 40) });
    const list = await git(['for-each-ref', '--format=%(refname:short)', 'refs/heads'], { cwd });
    const branches = list.split('\n').filter((name) => name !== 'master');
    await place.work.git('config', 'core.symlinks', 'false');
    const refspecs = branches.map((name) => `refs/heads/${name}:refs/heads/${name}`);
    const trunk = `refs/heads/${branches[0] ?? ''}:refs/heads/trunk`;
    expect((await place.work.push(...refspecs, trunk)).code).toBe(0);
    const outcomes: boolean[] = [];
    for (const branch of branches.slice(1)) {
      const request = await place.open(branch, { fields: { target_branch: 'trunk' } });
      const expected = await mergedByGit(place, request.sha);
      const { status } = await place.accept(request);
      expect({ branch, status }).toEqual({ branch, status: expected === null ? 405 : 200 });
      outcomes.push(status === 200);
      if (expected === null) continue;
      expect(await place.refs.git('rev-parse', 'trunk^{tree}')).toBe(expected);
    }
    expect(outcomes).toContain(true);
    await place.refs.expectSound();
  });
});
