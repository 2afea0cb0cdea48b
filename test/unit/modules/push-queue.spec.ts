import { Deferred } from '../../../src/platform/async/index.js';
import { PushQueue } from '../../../src/modules/storage/repositories/push-queue.js';

describe('the queue of pushes', () => {
  let queue: PushQueue;
  let begun: string[];
  let ends: Map<string, Deferred<undefined>>;

  beforeEach(() => {
    queue = new PushQueue(4);
    begun = [];
    ends = new Map();
  });

  const enter = (name: string, userId: number | null, ...projectIds: number[]): void => {
    const end = new Deferred<undefined>();
    ends.set(name, end);
    void queue.run({ projectIds, userId }, () => {
      begun.push(name);
      return end.promise;
    });
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.resolve(undefined);
    await settle();
  };

  it('admits half of its places to one user', async () => {
    for (const project of [1, 2, 3]) enter(`a${String(project)}`, 1, project);
    enter('b', 2, 4);
    enter('job', null, 5);
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b', 'job']);
    expect(queue.counts).toEqual({ running: 4, waiting: 1 });
    await end('b');
    expect(begun).not.toContain('a3');
    await end('a1');
    expect(begun).toContain('a3');
  });

  it('admits the user with the fewest pushes first', async () => {
    enter('a1', 1, 1);
    enter('b1', 2, 2);
    enter('b2', 2, 3);
    enter('c1', 3, 4);
    enter('a2', 1, 5);
    enter('d1', 4, 6);
    await settle();
    await end('b1');
    expect(begun.at(-1)).toBe('d1');
    await end('b2');
    expect(begun.at(-1)).toBe('a2');
  });

  it('runs work of one project alone, the oldest first', async () => {
    enter('first', 1, 7);
    enter('second', 2, 7);
    enter('both', 3, 8, 7);
    enter('last', 4, 7);
    await settle();
    expect(begun).toEqual(['first']);
    expect(queue.isClaimed(8)).toBe(true);
    for (const name of ['first', 'second', 'both']) await end(name);
    expect(begun).toEqual(['first', 'second', 'both', 'last']);
    expect(queue.isClaimed(8)).toBe(false);
  });

  it('keeps no project of others busy for work that waits', async () => {
    enter('own', 1, 1);
    enter('proposal', 1, 1, 2);
    enter('push', 2, 2);
    await settle();
    expect(begun).toEqual(['own', 'push']);
  });

  it('goes on after work that fails', async () => {
    const failing = queue.run({ projectIds: [1], userId: 1 }, () =>
      Promise.reject(new Error('no')),
    );
    enter('next', 1, 1);
    await expect(failing).rejects.toThrow('no');
    await settle();
    expect(begun).toEqual(['next']);
    expect(queue.counts).toEqual({ running: 1, waiting: 0 });
  });
});
