import { ObjectMissingError, type Repository } from '../../../src/git/index.js';
import { numbers } from './support/odd-history.js';
import { git, importStream, type ImportedCommit, tryGit, Workshop } from './support/workshop.js';

describe('the effect of a branch move on commits', () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  /** A history by the parents of each commit; commit `n` is the branch `c<n>`. */
  const made = async (parents: number[][]): Promise<[Repository, string[]]> => {
    const repository = await workshop.repository(
      importStream(
        parents.map((marks, index): ImportedCommit => ({
          branch: `c${String(index + 1)}`,
          parents: marks,
        })),
      ),
    );
    const names = parents.map((_, index) => `c${String(index + 1)}`);
    const oids = await git(['rev-parse', ...names], { cwd: repository.path });
    return [repository, oids.split('\n')];
  };

  it('distinguishes complete, partial and missing arrivals', async () => {
    // The branch goes from 2 to 6, a merge of 4; of 5, on top of 4, it gets a part; of 7 nothing.
    const [repository, oids] = await made([[], [1], [1], [3], [4], [2, 4], [2]]);
    const [, before = '', , fourth = '', fifth = '', after = '', seventh = ''] = oids;
    const effects = await repository.effectsOf({ before, after }, [fourth, fifth, seventh]);
    expect(effects).toEqual({
      isForced: false,
      arrived: new Set([fourth]),
      begun: new Set([fourth, fifth]),
    });
  });

  it('ignores commits that the branch had before', async () => {
    const [repository, [first = '', second = '', third = '']] = await made([[], [1], [2]]);
    const effects = await repository.effectsOf({ before: second, after: third }, [first, second]);
    expect(effects).toEqual({ isForced: false, arrived: new Set(), begun: new Set() });
  });

  it('detects moves that lose commits, and treats a new branch as one from nothing', async () => {
    const [repository, [first = '', second = '', third = '']] = await made([[], [1], [1]]);
    const forced = await repository.effectsOf({ before: second, after: third }, [third]);
    expect(forced).toMatchObject({ isForced: true, arrived: new Set([third]) });
    expect((await repository.effectsOf({ before: second, after: first }, [])).isForced).toBe(true);
    const fresh = await repository.effectsOf({ before: null, after: second }, [first, third]);
    expect(fresh.isForced).toBe(false);
    expect(fresh.arrived).toEqual(new Set([first]));
    expect(fresh.begun).toEqual(new Set([first, third]));
  });

  it('takes one walk for any number of commits', async () => {
    const [repository, oids] = await made([[], [1], ...Array.from({ length: 60 }, () => [1])]);
    const [before = '', after = '', ...heads] = oids;
    await repository.effectsOf({ before, after }, heads.slice(0, 1));
    const started = workshop.git.spawnCount;
    const effects = await repository.effectsOf({ before, after }, heads);
    expect(workshop.git.spawnCount - started).toBeLessThanOrEqual(2);
    expect(effects.begun.size).toBe(0);
  });

  it('reports a missing commit', async () => {
    const [repository, [first = '', second = '']] = await made([[], [1]]);
    const missing = 'd'.repeat(40);
    await expect(repository.effectsOf({ before: first, after: second }, [missing])).rejects.toThrow(
      ObjectMissingError,
    );
  });

  it('agrees with git in generated histories', async () => {
    const random = numbers(7);
    const [repository, oids] = await made(
      Array.from({ length: 40 }, (_, index) => {
        const parent = () => 1 + random(index);
        if (index === 0) return [];
        return random(3) === 0 ? [...new Set([parent(), parent()])] : [parent()];
      }),
    );
    const cwd = repository.path;
    const isIn = async (oid: string, tip: string) =>
      (await tryGit(['merge-base', '--is-ancestor', oid, tip], { cwd })).code === 0;
    for (let round = 0; round < 15; round += 1) {
      const [before = '', after = ''] = [oids[random(40)], oids[random(40)]];
      const heads = Array.from({ length: 8 }, () => oids[random(40)] ?? '');
      const effects = await repository.effectsOf({ before, after }, heads);
      expect(effects.isForced).toBe(!(await isIn(before, after)));
      const brought = await git(['rev-list', after, `^${before}`], { cwd });
      for (const head of heads) {
        const arrived = (await isIn(head, after)) && !(await isIn(head, before));
        expect(effects.arrived.has(head)).toBe(arrived);
        const ancestors = (await git(['rev-list', head], { cwd })).split('\n');
        const begun = ancestors.some((oid) => brought.includes(oid));
        expect(effects.begun.has(head)).toBe(begun);
      }
    }
  });
});
