import { ObjectMissingError, type Repository } from '../../../src/git/index.js';
import { git, importStream, line, Workshop, type ImportedCommit } from './support/workshop.js';

const T0 = 1_700_000_000;
const at = (seconds: number) => new Date((T0 + seconds) * 1000);

describe('the history of a commit', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  const revList = async (repository: Repository, ...args: string[]) =>
    (await git(['rev-list', '--topo-order', ...args], { cwd: repository.path })).split('\n');

  it('is what rev-list --topo-order says, page by page', async () => {
    const commits: ImportedCommit[] = [{}];
    for (let n = 1; n < 60; n += 1) {
      const side = n % 4 === 0 ? { branch: `side${n}`, parents: [n] } : {};
      commits.push(n % 5 === 0 ? { parents: [n, Math.max(1, n - 3)] } : side);
    }
    const repository = await workshop.repository(importStream(commits));
    const start = (await repository.resolveCommit('master')) ?? '';
    const expected = await revList(repository, 'master');
    const pages: string[] = [];
    for (let skip = 0; skip < expected.length + 7; skip += 7) {
      const page = await repository.history({ start, skip, limit: 7 });
      expect(page.total).toBe(expected.length);
      pages.push(...page.oids);
    }
    expect(pages).toEqual(expected);
  });

  it('crosses its windows without a seam, and spawns nothing when warm', async () => {
    const repository = await workshop.repository(line(3500));
    const start = (await repository.resolveCommit('master')) ?? '';
    const expected = await revList(repository, 'master');
    const page = await repository.history({ start, skip: 990, limit: 2200 });
    expect(page).toEqual({ oids: expected.slice(990, 3190), total: 3500 });
    const spawned = workshop.git.spawnCount;
    const again = await repository.history({ start, skip: 2990, limit: 20 });
    expect(again).toEqual({ oids: expected.slice(2990, 3010), total: 3500 });
    expect((await repository.history({ start, skip: 5000, limit: 20 })).oids).toEqual([]);
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('counts exactly up to 10,000 and not beyond', async () => {
    const repository = await workshop.repository(line(10_001));
    const start = (await repository.resolveCommit('master')) ?? '';
    expect((await repository.history({ start, skip: 0, limit: 1 })).total).toBeNull();
    const parent = await git(['rev-parse', 'master~1'], { cwd: repository.path });
    expect((await repository.history({ start: parent, skip: 0, limit: 1 })).total).toBe(10_000);
  });

  it('takes since and until as inclusive, also when clocks were wrong', async () => {
    const times = [100, 200, 50, 300, 250, 400];
    const repository = await workshop.repository(
      importStream(times.map((time) => ({ time: T0 + time, message: String(time) }))),
    );
    const start = (await repository.resolveCommit('master')) ?? '';
    const messages = async (since?: Date, until?: Date): Promise<string[]> => {
      const { oids, total } = await repository.history({ start, since, until, skip: 0, limit: 50 });
      expect(total).toBe(oids.length);
      const commits = await repository.objects.commits(oids);
      return commits.map((commit) => commit?.message ?? '');
    };
    expect(await messages(at(200), at(300))).toEqual(['250', '300', '200']);
    expect(await messages(at(200.001), at(299.999))).toEqual(['250']);
    expect(await messages(at(100))).toEqual(['400', '250', '300', '200', '100']);
    expect(await messages(undefined, at(50))).toEqual(['50']);
    expect(await messages(at(300), at(200))).toEqual([]);
    expect(await messages(new Date(-5000), new Date(0))).toEqual([]);
    expect(await messages(new Date(0), new Date('2500-01-01'))).toHaveLength(6);
    expect(await messages(undefined, new Date(-5000))).toEqual([]);
  });

  it('follows one path, literally', async () => {
    const repository = await workshop.repository(
      importStream([
        { files: { 'a*': '1' } },
        { files: { ab: '1' } },
        { files: { 'dir/x': '1', '-p': '1' } },
        { files: { 'dir/y': '1' } },
      ]),
    );
    const start = (await repository.resolveCommit('master')) ?? '';
    const all = await revList(repository, 'master');
    const of = async (path: string) =>
      (await repository.history({ start, path, skip: 0, limit: 9 })).oids;
    expect(await of('a*')).toEqual([all[3]]);
    expect(await of('dir')).toEqual([all[0], all[1]]);
    expect(await of('dir/')).toEqual([all[0], all[1]]);
    expect(await of('-p')).toEqual([all[1]]);
    for (const path of ['', '/', '..', '../x', '/etc', ':(glob)*', 'dir//x', './dir', 'a\0b']) {
      expect([path, await of(path)]).toEqual([path, []]);
    }
  });

  it('follows a path to the end of a page only, and counts in short histories alone', async () => {
    const odd = (length: number) =>
      importStream(
        Array.from({ length }, (_, n) => (n % 100 === 0 ? { files: { odd: `${n}` } } : {})),
      );
    const pageOf = async (repository: Repository, skip: number) => {
      const start = (await repository.resolveCommit('master')) ?? '';
      const all = await revList(repository, 'master', '--', 'odd');
      const page = await repository.history({ start, path: 'odd', skip, limit: 21 });
      expect(page.oids).toEqual(all.slice(skip, skip + 21));
      return page.total;
    };
    const long = await workshop.repository(odd(10_001));
    expect(await pageOf(long, 0)).toBeNull();
    expect(await pageOf(long, 60)).toBeNull();
    expect(await pageOf(long, 90)).toBe(101);
    expect(await pageOf(long, 200)).toBeNull();
    const short = await workshop.repository(odd(9_000));
    expect(await pageOf(short, 0)).toBe(90);
    expect(await pageOf(short, 200)).toBe(90);
    const spawned = workshop.git.spawnCount;
    expect(await pageOf(short, 0)).toBe(90);
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('fails for a start that is not there or no commit', async () => {
    const repository = await workshop.repository(line(1));
    const tree = await git(['rev-parse', 'master^{tree}'], { cwd: repository.path });
    for (const start of ['1'.repeat(40), tree]) {
      await expect(repository.history({ start, skip: 0, limit: 1 })).rejects.toThrow(
        ObjectMissingError,
      );
    }
  });
});
