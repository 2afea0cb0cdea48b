import { importStream, git, Workshop } from './support/workshop.js';

describe('descendants of a commit', () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  it('are those of some commits that contain it, itself included', async () => {
    // 2 and 3 follow on 1; 4 merges 2 and 3; 5 follows on 3.
    const parents = [[], [1], [1], [2, 3], [3]];
    const repository = await workshop.repository(
      importStream(
        parents.map((marks, index) => ({ branch: `c${String(index + 1)}`, parents: marks })),
      ),
    );
    const names = parents.map((_, index) => `c${String(index + 1)}`);
    const oids = (await git(['rev-parse', ...names], { cwd: repository.path })).split('\n');
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = oids;
    const missing = 'd'.repeat(40);
    const of = async (oid: string) => [...(await repository.descendants([...oids, missing], oid))];
    expect(await of(first)).toEqual(oids);
    expect(await of(second)).toEqual([second, fourth]);
    expect(await of(third)).toEqual([third, fourth, fifth]);
    expect(await of(fifth)).toEqual([fifth]);
    expect([...(await repository.descendants([], first))]).toEqual([]);
    expect([...(await repository.descendants([first], second))]).toEqual([]);
  });
});
