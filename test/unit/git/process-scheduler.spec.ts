import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { lowerPriority } from '../../../src/git/process/launcher.js';
import {
  NICENESS,
  ProcessScheduler,
  type SlotRelease,
  type WorkClient,
  type ProcessPurpose,
} from '../../../src/git/process/process-scheduler.js';

/** Asks for places and notes the order in which they are given. */
class Queue {
  readonly admitted: string[] = [];
  private readonly releases = new Map<string, SlotRelease>();

  constructor(private readonly scheduler: ProcessScheduler) {}

  /** Resolves when all that can be admitted without anything being given back has been. */
  async ask(
    name: string,
    kind: ProcessPurpose,
    repository: string,
    { client, signal }: { client?: WorkClient; signal?: AbortSignal } = {},
  ): Promise<void> {
    this.scheduler.acquire({ kind, repository, client }, signal).then(
      (release) => {
        this.admitted.push(name);
        this.releases.set(name, release);
      },
      (error: unknown) => this.admitted.push(`${name}: ${String(error)}`),
    );
    await settled();
  }

  async leave(name: string): Promise<void> {
    this.releases.get(name)?.();
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the scheduler of git processes', () => {
  let queue: Queue;

  beforeEach(() => {
    queue = new Queue(new ProcessScheduler(4));
  });

  /** Asks until somebody has to wait. */
  async function fill(
    kind: ProcessPurpose,
    repositoryOf: (index: number) => string,
    clientOf: (index: number) => WorkClient | undefined = () => undefined,
  ): Promise<number> {
    const before = queue.admitted.length;
    for (let index = 0; ; index += 1) {
      const client = clientOf(index);
      await queue.ask(
        `${kind} ${String(index)}`,
        kind,
        repositoryOf(index),
        client === undefined ? {} : { client },
      );
      const admitted = queue.admitted.length - before;
      if (admitted <= index) return admitted;
    }
  }

  const kinds = Object.keys(NICENESS) as ProcessPurpose[];

  it.each(kinds)('delays no other kind for %s', async (full) => {
    await fill(full, (index) => `r${String(index)}`);
    queue.admitted.length = 0;
    const others = kinds.filter((kind) => kind !== full);
    for (const kind of others) await queue.ask(`other ${kind}`, kind, 'r0');
    expect(queue.admitted).toEqual(others.map((kind) => `other ${kind}`));
  });

  it.each(kinds)('reserves slots of %s for other repositories', async (kind) => {
    const own = await fill(kind, () => 'busy');
    expect(own).toBeGreaterThan(0);
    await queue.ask('other', kind, 'other');
    expect(queue.admitted.at(-1)).toBe('other');
  });

  it.each([
    { processors: 1, reads: 8 },
    { processors: 2, reads: 8 },
    { processors: 3, reads: 12 },
    { processors: 64, reads: 16 },
  ])('runs $reads reads on $processors processors, half of them of one repository', async (row) => {
    queue = new Queue(new ProcessScheduler(row.processors));
    expect(await fill('interactive', () => 'busy')).toBe(row.reads / 2);
    queue = new Queue(new ProcessScheduler(row.processors));
    expect(await fill('interactive', (index) => `r${String(index)}`)).toBe(row.reads);
  });

  it('admits the repository with the fewest running, then the first in the queue', async () => {
    const repositoryOf = (index: number): string => ['a', 'b', 'c'][index % 3] ?? '';
    const admitted = await fill('interactive', repositoryOf);
    expect(admitted).toBe(16);
    // Six of a, five of b and five of c are running; another one of b waits.
    await queue.ask('a1', 'interactive', 'a');
    await queue.ask('d1', 'interactive', 'd');
    await queue.ask('d2', 'interactive', 'd');
    for (const index of [0, 3, 6]) await queue.leave(`interactive ${String(index)}`);
    expect(queue.admitted.slice(16)).toEqual(['d1', 'd2', 'a1']);
    await queue.leave('interactive 1');
    expect(queue.admitted.at(-1)).toBe('interactive 16');
  });

  const ownRepository = (index: number): string => `r${String(index)}`;
  const user = (userId: number | null, network = '192.0.2.1'): WorkClient => ({ network, userId });

  it.each(kinds)('reserves slots of %s for other users of the same network', async (kind) => {
    const own = await fill(kind, ownRepository, () => user(1));
    expect(own).toBeGreaterThan(0);
    await queue.ask('other', kind, 'other', { client: user(2) });
    expect(queue.admitted.at(-1)).toBe('other');
  });

  it.each(kinds)('reserves slots of %s for other networks', async (kind) => {
    // Anonymous clients, and a new user each time.
    const own = await fill(kind, ownRepository, (index) => user(index % 2 === 0 ? null : index));
    expect(own).toBeGreaterThan(0);
    await queue.ask('other', kind, 'other', { client: user(null, '192.0.2.2') });
    expect(queue.admitted.at(-1)).toBe('other');
  });

  it('limits a user and the anonymous clients of a network to half of the slots, a network to three quarters', async () => {
    expect(await fill('interactive', ownRepository, () => user(1))).toBe(8);
    queue = new Queue(new ProcessScheduler(4));
    expect(await fill('interactive', ownRepository, (index) => user(index))).toBe(12);
    queue = new Queue(new ProcessScheduler(4));
    expect(await fill('interactive', ownRepository, () => user(null))).toBe(8);
    queue = new Queue(new ProcessScheduler(4));
    expect(await fill('interactive', ownRepository)).toBe(16);
  });

  it('admits a client without a slot before those that wait longer', async () => {
    for (const busy of [user(1, '192.0.2.1'), user(2, '192.0.2.2')]) {
      expect(await fill('interactive', ownRepository, () => busy)).toBe(8);
    }
    await queue.ask('guest', 'interactive', 'guest', { client: user(3, '192.0.2.3') });
    queue.admitted.length = 0;
    await queue.leave('interactive 0');
    expect(queue.admitted).toEqual(['guest']);
  });

  it('releases a slot once for repeated calls', async () => {
    const admitted = await fill('push', (index) => `r${String(index)}`);
    await queue.ask('last', 'push', 'last');
    await queue.leave('push 0');
    await queue.leave('push 0');
    expect(queue.admitted).toHaveLength(admitted + 1);
  });

  it('removes aborted waiters', async () => {
    const admitted = await fill('push', () => 'a');
    const stopped = new AbortController();
    await queue.ask('stopped', 'push', 'a', { signal: stopped.signal });
    await queue.ask('behind', 'push', 'a');
    stopped.abort(new Error('left'));
    await settled();
    expect(queue.admitted.slice(admitted)).toEqual(['stopped: Error: left']);
    await queue.leave('push 0');
    await queue.leave('push 1');
    expect(queue.admitted.slice(admitted + 1)).toEqual([`push ${String(admitted)}`, 'behind']);
    await queue.ask('late', 'push', 'a', { signal: stopped.signal });
    expect(queue.admitted.at(-1)).toBe('late: Error: left');
  });

  it.each(kinds)('runs %s with its niceness', async (kind) => {
    const child = spawn('sleep', ['60'], { detached: true });
    await once(child, 'spawn');
    try {
      lowerPriority(child, kind);
      const niceness = Math.min(getPriority() + NICENESS[kind], 19);
      expect(getPriority(child.pid)).toBe(niceness);
      const group = `/proc/${String(child.pid)}/autogroup`;
      // Others may change ten groups a second.
      if (existsSync(group) && process.getuid?.() === 0) {
        expect(readFileSync(group, 'latin1')).toMatch(new RegExp(`nice ${String(niceness)}\\n`));
      }
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    expect(() => lowerPriority(child, kind)).not.toThrow();
  });
});
