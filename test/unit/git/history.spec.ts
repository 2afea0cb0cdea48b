import { ObjectMissingError, type Repository } from '../../../src/git/index.js';
import { git, importStream, type ImportedCommit, line, Workshop } from './support/workshop.js';

const T0 = 1_700_000_000;
const at = (seconds: number) => new Date((T0 + seconds) * 1000);

/** Of a history that is not counted; each hundredth of its commits changes the file `odd`. */
const LONG = 10_001;

describe('the history of a commit', () => {
  let workshop: Workshop;
  let long: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
    const commits = Array.from({ length: LONG }, (_, n) => ({
      files: n % 100 === 0 ? { odd: `${n}` } : {},
    }));
    long = await workshop.repository(importStream(commits));
  });

  afterAll(() => workshop.close());

  /** A commit of the long history with a history of so many. */
  const oldOf = (length: number) =>
    git(['rev-parse', `master~${LONG - length}`], { cwd: long.path });

  const revList = async (repository: Repository, ...args: string[]) =>
    (await git(['rev-list', '--topo-order', ...args], { cwd: repository.path })).split('\n');

  it('matches rev-list --topo-order, page by page', async () => {
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

  it('crosses its windows without gaps, and starts no process when warm', async () => {
    const start = await oldOf(3_500);
    const expected = await revList(long, start);
    const page = await long.history({ start, skip: 990, limit: 2200 });
    expect(page).toEqual({ oids: expected.slice(990, 3190), total: 3500 });
    const spawned = workshop.git.spawnCount;
    const again = await long.history({ start, skip: 2990, limit: 20 });
    expect(again).toEqual({ oids: expected.slice(2990, 3010), total: 3500 });
    expect((await long.history({ start, skip: 5000, limit: 20 })).oids).toEqual([]);
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('counts exactly up to 10,000 and not beyond', async () => {
    const totalOf = async (length: number) =>
      (await long.history({ start: await oldOf(length), skip: 0, limit: 1 })).total;
    expect(await totalOf(LONG)).toBeNull();
    expect(await totalOf(10_000)).toBe(10_000);
  });

  it('treats since and until as inclusive, also with wrong clocks', async () => {
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

  it('follows a path only to the end of a page, and counts only in short histories', async () => {
    const totalOf = async (length: number, skip: number) => {
      const start = await oldOf(length);
      const all = await revList(long, start, '--', 'odd');
      const page = await long.history({ start, path: 'odd', skip, limit: 21 });
      expect(page.oids).toEqual(all.slice(skip, skip + 21));
      return page.total;
    };
    expect(await totalOf(LONG, 0)).toBeNull();
    expect(await totalOf(LONG, 60)).toBeNull();
    expect(await totalOf(LONG, 90)).toBe(101);
    expect(await totalOf(LONG, 200)).toBeNull();
    expect(await totalOf(9_000, 0)).toBe(90);
    expect(await totalOf(9_000, 200)).toBe(90);
    const spawned = workshop.git.spawnCount;
    expect(await totalOf(9_000, 0)).toBe(90);
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('lists by date, and along first parents', async () => {
    const repository = await workshop.repository(
      importStream([
        { time: T0 },
        { time: T0 + 10, branch: 'side', parents: [1] },
        { time: T0 + 30, branch: 'side', parents: [2] },
        { time: T0 + 20, parents: [1] },
        { time: T0 + 40, parents: [4, 3] },
      ]),
    );
    const start = (await repository.resolveCommit('master')) ?? '';
    const cwd = repository.path;
    const list = async (options: object) =>
      (await repository.history({ start, skip: 0, limit: 50, ...options })).oids;
    const byDate = await list({ byDate: true });
    expect(byDate).toEqual((await git(['rev-list', 'master'], { cwd })).split('\n'));
    expect(byDate).not.toEqual(await list({}));
    const plain = await list({ firstParent: true });
    expect(plain).toEqual(await revList(repository, '--first-parent', 'master'));
    expect(plain).toHaveLength(3);
    expect(await repository.countHistory(start, { firstParent: false })).toBe(5);
    expect(await repository.countHistory(start, { firstParent: true })).toBe(3);
  });

  it('lists what several tips reach, in pages that do not depend on their order', async () => {
    const repository = await workshop.repository(
      importStream([{}, { branch: 'one', parents: [1] }, { branch: 'two', parents: [1] }]),
    );
    const cwd = repository.path;
    await git(['tag', '-a', '-m', 'Tag', 'tag', 'two'], { cwd });
    await git(['tag', 'tree', 'master^{tree}'], { cwd });
    const oids = async (...names: string[]) =>
      Promise.all(names.map((name) => git(['rev-parse', name], { cwd })));
    const start = await oids('one', 'tag', 'tree');
    const [tag = ''] = await oids('two');
    const { oids: all, total } = await repository.history({ start, skip: 0, limit: 50 });
    expect(total).toBe(3);
    expect(all).toHaveLength(3);
    expect(all).toContain(tag);
    const spawned = workshop.git.spawnCount;
    const again = await repository.history({ start: start.toReversed(), skip: 1, limit: 1 });
    expect(again).toEqual({ oids: all.slice(1, 2), total: 3 });
    expect(workshop.git.spawnCount).toBe(spawned);
    expect(await repository.history({ start: [], skip: 0, limit: 5 })).toEqual({
      oids: [],
      total: 0,
    });
  });

  it('finds authors by a text of their names and addresses, literally', async () => {
    const repository = await workshop.repository(importStream([{}, {}]));
    const cwd = repository.path;
    const tree = await git(['rev-parse', 'master^{tree}'], { cwd });
    const person = '1700000000 +0000';
    const input = [
      ...[`tree ${tree}`, `author Ada [x].* <ada@example.com> ${person}`],
      ...[`committer Bob <bob@example.com> ${person}`, '', 'By Ada', ''],
    ].join('\n');
    const own = await git(['hash-object', '-t', 'commit', '-w', '--stdin'], { cwd, input });
    const find = (author: string) => repository.history({ start: own, author, skip: 0, limit: 50 });
    expect(await find('[x].*')).toEqual({ oids: [own], total: 1 });
    expect((await find('ada@example.com')).oids).toEqual([own]);
    for (const absent of ['x.*', 'By Ada', 'Ada\nx', 'Ada\0']) {
      expect(await find(absent)).toEqual({ oids: [], total: 0 });
    }
    expect((await find('[x].*')).total).toBe(1);
  });

  it('fails for a missing start and for a start that is not a commit', async () => {
    const repository = await workshop.repository(line(1));
    const tree = await git(['rev-parse', 'master^{tree}'], { cwd: repository.path });
    for (const start of ['1'.repeat(40), tree]) {
      await expect(repository.history({ start, skip: 0, limit: 1 })).rejects.toThrow(
        ObjectMissingError,
      );
    }
  });
});
