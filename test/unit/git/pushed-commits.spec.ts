import { ObjectMissingError, type Repository } from '../../../src/git/index.js';
import { emptyLine, git, importStream, line, revLists, Workshop } from './support/workshop.js';

describe('the commits of a push', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  const revList = async (repository: Repository, ...args: string[]) =>
    (await git(['rev-list', ...args], { cwd: repository.path })).split('\n').filter(Boolean);

  const oidOf = (repository: Repository, rev: string) =>
    git(['rev-parse', rev], { cwd: repository.path });

  const ask = async (repository: Repository, tip: string, base: string | null, limit = 20) => {
    const range = {
      tip: await oidOf(repository, tip),
      base: base && (await oidOf(repository, base)),
      limit,
    };
    const { newest, total } = await repository.pushedCommits(range);
    return { newest, total };
  };

  it('are read without another process while they are few and linear', async () => {
    const repository = await workshop.repository(line(30));
    const all = await revList(repository, 'master');
    await repository.objects.commit(all[0] ?? '');
    const spawned = workshop.git.spawnCount;
    const asked = async (tip: string | undefined, base: string | null | undefined) => {
      const range = { tip: tip ?? '', base: base ?? null, limit: 20 };
      const { newest, total } = await repository.pushedCommits(range);
      return { newest, total };
    };
    expect(await asked(all[0], all[3])).toEqual({ newest: all.slice(0, 3), total: 3 });
    expect(await asked(all[0], all[25])).toEqual({ newest: all.slice(0, 20), total: 25 });
    expect(await asked(all[0], null)).toEqual({ newest: all.slice(0, 20), total: 30 });
    expect(await asked(all[5], all[5])).toEqual({ newest: [], total: 0 });
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('are counted exactly, for any number', async () => {
    const repository = await workshop.repository(emptyLine(10_500));
    expect(await ask(repository, 'master', null)).toEqual({
      newest: await revList(repository, '--max-count=20', 'master'),
      total: 10_500,
    });
    expect((await ask(repository, 'master', 'master~10400')).total).toBe(10_400);
  });

  it('are those of one side only, over merges, backwards and without a common ancestor', async () => {
    const commits = [
      {},
      {},
      { branch: 'side', parents: [1] },
      { branch: 'side' },
      { branch: 'master', parents: [2, 4] },
      { branch: 'other', parents: [] },
    ];
    const repository = await workshop.repository(importStream(commits));
    for (const [tip, base] of [
      ['master', 'master~1'],
      ['side', 'master~1'],
      ['master~1', 'side'],
      ['master~1', 'master'],
      ['other', 'master'],
      ['master', 'other'],
    ] as const) {
      const newest = await revList(repository, tip, `^${base}`);
      expect([tip, base, await ask(repository, tip, base)]).toEqual([
        tip,
        base,
        { newest, total: newest.length },
      ]);
    }
  });

  it('are found for many refs by one walk, for all histories', async () => {
    const commits = [
      ...Array.from({ length: 40 }, () => ({})),
      ...Array.from({ length: 60 }, (_, n) => {
        const branch = `topic-${n}`;
        return [
          { branch, parents: [(n % 35) + 1], message: `a ${n}`, files: { a: `${n}` } },
          { branch, message: `b ${n}`, files: { b: `${n}` } },
        ];
      }).flat(),
      { branch: 'merged', parents: [39, 42, 44], message: 'octopus' },
      { branch: 'unrelated', parents: [], message: 'alone' },
    ];
    const repository = await workshop.repository(importStream(commits));
    const base = await oidOf(repository, 'master');
    const names = Array.from({ length: 60 }, (_, n) => `topic-${n}`);
    const revs = [...names, 'merged', 'unrelated', 'master~3', 'master'];
    const tips = (await git(['rev-parse', ...revs], { cwd: repository.path })).split('\n');
    const ranges = tips.map((tip) => ({ tip, base, limit: 2 }));
    await repository.objects.commit(base);
    const spawned = workshop.git.spawnCount;
    const told = await repository.pushedCommitsOfEach(ranges);
    expect(workshop.git.spawnCount).toBe(spawned + 1);
    const lists = await revLists(
      repository.path,
      revs.map((rev) => `${rev} ^master`),
    );
    for (const [at, rev] of revs.entries()) {
      const all = lists[at] ?? [];
      const result = told[at];
      if (result?.status !== 'fulfilled') throw new Error(`${rev} is not told of`);
      const { newest, total } = result.value;
      expect([rev, newest, total]).toEqual([rev, all.slice(0, 2), all.length]);
    }
    const absent = { tip: 'f'.repeat(40), base, limit: 2 };
    const spoiled = await repository.pushedCommitsOfEach([absent, ...ranges]);
    expect(spoiled[0]).toMatchObject({ status: 'rejected' });
    expect(spoiled.slice(1)).toEqual(told);
  });

  it('require both ends', async () => {
    const repository = await workshop.repository(line(3));
    const tip = await oidOf(repository, 'master');
    const absent = 'f'.repeat(40);
    const asked = (range: { tip: string; base: string | null }) =>
      repository.pushedCommits({ ...range, limit: 20 });
    await expect(asked({ tip, base: absent })).rejects.toThrow(ObjectMissingError);
    await expect(asked({ tip: absent, base: tip })).rejects.toThrow(ObjectMissingError);
    await expect(asked({ tip: '--all', base: null })).rejects.toThrow('Not an object id');
  });
});
