import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { CatFileReply } from '../../../src/git/objects/cat-file-reply.js';
import { LineReply } from '../../../src/git/process/co-process.js';
import { CoProcessPool, type PoolLimits } from '../../../src/git/process/co-process-pool.js';
import { gitCommands } from '../../../src/git/process/command-table.js';
import { gitEnvironment, runtimeFolders } from '../../../src/git/process/environment.js';
import { memoryOf } from '../../../src/git/process/process-memory.js';
import { transaction } from '../../../src/git/refs/ref-change.js';
import { GitBusyError, GitClosedError, GitProcessError } from '../../../src/git/index.js';
import { GitTimeoutError, type ObjectInfo } from '../../../src/git/index.js';
import { Launcher } from '../../../src/git/process/launcher.js';
import { lessMemoryProgram } from './support/less-memory.js';
import { git, importStream, line, Workshop } from './support/workshop.js';

class ObservedLauncher extends Launcher {
  readonly started: ChildProcess[] = [];

  override spawnLongLived(...args: Parameters<Launcher['spawnLongLived']>): ChildProcess {
    const child = super.spawnLongLived(...args);
    this.started.push(child);
    return child;
  }

  get running(): ChildProcess[] {
    return this.started.filter((child) => child.exitCode === null && child.signalCode === null);
  }
}

describe('the pool of co-processes', () => {
  let workshop: Workshop;
  let path: string;
  let tip: string;
  let launcher: ObservedLauncher;
  let pool: CoProcessPool;
  /** Of the pool; read at each request. */
  let limits: { -readonly [Name in keyof PoolLimits]: PoolLimits[Name] };

  beforeAll(async () => {
    workshop = await Workshop.open();
    const repository = await workshop.repository(line(3));
    path = repository.path;
    tip = (await repository.resolveCommit('master')) ?? '';
  });

  afterAll(() => workshop.close());

  function open(changes: Partial<PoolLimits> = {}, executable = 'git'): void {
    const environment = gitEnvironment(runtimeFolders(workshop.folder));
    launcher = new ObservedLauncher(executable, environment, tmpdir());
    limits = {
      ...{ maxProcesses: 3, idleMs: 60_000, requestTimeoutMs: 20_000 },
      ...{ memoryBytes: Infinity, totalMemoryBytes: Infinity },
      ...changes,
    };
    pool = new CoProcessPool(launcher, limits);
  }

  afterEach(async () => {
    await pool.close();
    await launcher.close();
    expect(launcher.running).toEqual([]);
  });

  async function info(owner: string, repeatable = true, isAlone = false): Promise<unknown> {
    const [answer] = await pool.request({
      owner,
      isAlone,
      command: gitCommands.catFileBatch(path),
      input: `info ${tip}\nflush\n`,
      reply: () => new CatFileReply(1, 'info'),
      repeatable,
    });
    return (answer as ObjectInfo | null)?.oid;
  }

  it('answers many requests at once through one process', async () => {
    open();
    const answers = await Promise.all(Array.from({ length: 200 }, () => info('one')));
    expect(new Set(answers)).toEqual(new Set([tip]));
    expect(launcher.started).toHaveLength(1);
  });

  it('uses a separate process for a request that must not wait, and reuses it later', async () => {
    open();
    const alone = () => info('one', true, true);
    expect(await Promise.all([info('one'), alone(), alone()])).toEqual([tip, tip, tip]);
    expect(launcher.started).toHaveLength(3);
    expect(await Promise.all([info('one'), alone(), alone()])).toEqual([tip, tip, tip]);
    expect(launcher.started).toHaveLength(3);
  });

  it('respects its limit when more repositories are requested', async () => {
    open();
    let most = 0;
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const answer = await info(`owner ${(index * 7) % 20}`);
        most = Math.max(most, launcher.running.length);
        return answer;
      }),
    );
    expect(answers).toEqual(Array(300).fill(tip));
    expect(most).toBeLessThanOrEqual(3);
    expect(pool.size).toBeLessThanOrEqual(3);
  });

  it('retires the least recently used process', async () => {
    open({ maxProcesses: 2 });
    await info('a');
    await info('b');
    await info('a');
    await info('c');
    const before = launcher.spawnCount;
    await info('a');
    expect(launcher.spawnCount).toBe(before);
    await info('b');
    expect(launcher.spawnCount).toBe(before + 1);
  });

  it('ends an idle process', async () => {
    open({ idleMs: 1 });
    await info('a');
    const [child] = launcher.started;
    if (child?.exitCode === null) await once(child, 'close');
    expect(child?.exitCode).toBe(0);
    expect(await info('a')).toBe(tip);
  });

  it('repeats a read once when its process dies', async () => {
    open();
    await info('a');
    launcher.started[0]?.kill('SIGSTOP');
    const asked = Promise.allSettled([info('a'), info('a', false)]);
    launcher.started[0]?.kill('SIGKILL');
    expect(await asked).toEqual([
      { status: 'fulfilled', value: tip },
      { status: 'rejected', reason: expect.any(GitBusyError) },
    ]);
    expect(launcher.started).toHaveLength(2);
  });

  it('repeats the requests after one that ends the process, each time', async () => {
    open();
    const exceed = (): Promise<unknown> =>
      pool.request({
        owner: 'a',
        command: gitCommands.catFileBatch(path),
        input: `info ${tip}\nflush\n`,
        reply: () => ({
          push: () => {
            throw new Error('A budget is exceeded');
          },
          result: () => undefined,
        }),
        repeatable: true,
      });
    const answers = await Promise.allSettled([
      ...[exceed(), info('a'), exceed(), info('a'), exceed(), info('a')],
    ]);
    expect(answers).toEqual(
      answers.map((_, index) =>
        index % 2 === 0
          ? { status: 'rejected', reason: new Error('A budget is exceeded') }
          : { status: 'fulfilled', value: tip },
      ),
    );
    const [, written] = await Promise.allSettled([exceed(), info('a', false)]);
    // Git may have done it.
    expect(written).toEqual({ status: 'rejected', reason: expect.any(GitBusyError) });
  });

  it('attributes a fatal error of git to the current request', async () => {
    open();
    const fail = pool.request({
      owner: 'a',
      command: gitCommands.catFileBatch(path),
      input: 'nonsense\n',
      reply: () => new CatFileReply(1, 'info'),
      repeatable: false,
    });
    const answers = await Promise.allSettled([fail, info('a'), info('a', false)]);
    expect(answers).toEqual([
      { status: 'rejected', reason: expect.any(GitProcessError) },
      { status: 'fulfilled', value: tip },
      { status: 'fulfilled', value: tip },
    ]);
  });

  it('replaces a process that does not respond', async () => {
    open();
    await info('a');
    limits.requestTimeoutMs = 200;
    launcher.started[0]?.kill('SIGSTOP');
    const behind = info('a').catch((error: unknown) => error);
    await expect(info('a')).rejects.toThrow(GitTimeoutError);
    await behind;
    limits.requestTimeoutMs = 20_000;
    expect(await info('a')).toBe(tip);
    expect(launcher.started.length).toBeGreaterThan(1);
  });

  it('reports that it is busy when no process becomes free', async () => {
    open({ maxProcesses: 1 });
    await info('a');
    limits.requestTimeoutMs = 200;
    launcher.started[0]?.kill('SIGSTOP');
    const stuck = info('a').catch((error: unknown) => error);
    await expect(info('b')).rejects.toThrow(GitBusyError);
    launcher.started[0]?.kill('SIGCONT');
    await stuck;
  });

  describe('with commits of 1 MB, which git keeps when it peels or names them', () => {
    const ZERO = '0'.repeat(40);
    const MEMORY = 16 * 1024 * 1024;
    let large: string;
    let ids: string[];

    beforeAll(async () => {
      const message = 'x'.repeat(1_000_000);
      const stream = importStream(Array.from({ length: 45 }, () => ({ message })));
      large = (await workshop.repository(stream)).path;
      ids = (await git(['rev-list', 'master'], { cwd: large })).split('\n');
    });

    async function peel(id: string, owner = 'a'): Promise<string | undefined> {
      const [answer] = await pool.request({
        owner,
        command: gitCommands.catFileBatch(large),
        input: `info ${id}^{commit}\nflush\n`,
        reply: () => new CatFileReply(1, 'info'),
        repeatable: true,
      });
      return answer?.oid;
    }

    async function createRef(id: string): Promise<void> {
      const ref = `refs/heads/of-${id}`;
      await pool.request({
        owner: 'a',
        command: gitCommands.updateRefs(large),
        input: transaction([{ ref, newOid: id, oldOid: ZERO }]),
        reply: () => new LineReply('commit: ok', () => undefined),
        repeatable: false,
      });
    }

    it.each([
      ['cat-file', peel],
      ['update-ref', createRef],
    ])('ends a large %s after its requests, and starts another', async (_, ask) => {
      open({ memoryBytes: MEMORY });
      await Promise.all(ids.slice(0, 40).map((id) => ask(id)));
      const [first] = launcher.started;
      if (first?.exitCode === null) await once(first, 'close');
      expect(first?.exitCode).toBe(0);
      const before = launcher.started.length;
      await ask(ids[40] ?? '');
      expect(launcher.started.length).toBeGreaterThanOrEqual(before);
      expect(launcher.running.every(({ pid }) => memoryOf(pid ?? 0) < MEMORY)).toBe(true);
    });

    it('ends the largest when their sum is large', async () => {
      open({ totalMemoryBytes: MEMORY });
      for (const id of ids.slice(0, 4)) await peel(id, 'small');
      for (const id of ids.slice(0, 16)) await peel(id, 'large');
      const [small, largest] = launcher.started;
      if (largest?.exitCode === null) await once(largest, 'close');
      expect([small?.exitCode, largest?.exitCode]).toEqual([null, 0]);
    });

    it('repeats a request when other requests used up the memory', async () => {
      open({}, await lessMemoryProgram(workshop));
      const answers = await Promise.all(ids.map((id) => peel(id)));
      expect(answers).toEqual(ids);
      expect(launcher.started.length).toBeGreaterThan(1);
    });
  });

  it('finishes current requests before it closes, and accepts none afterwards', async () => {
    open();
    const asked = Promise.all(Array.from({ length: 50 }, () => info('a')));
    await pool.close();
    expect(await asked).toEqual(Array(50).fill(tip));
    await expect(info('a')).rejects.toThrow(GitClosedError);
  });

  it('fails when git cannot be started', async () => {
    open();
    const broken = new CoProcessPool(new Launcher('/nonexistent/git', {}, tmpdir()), {
      maxProcesses: 1,
      idleMs: 1000,
      memoryBytes: Infinity,
      totalMemoryBytes: Infinity,
      requestTimeoutMs: 1000,
    });
    const request = {
      owner: 'a',
      command: gitCommands.catFileBatch(path),
      input: 'flush\n',
      reply: () => new CatFileReply(1, 'info'),
      repeatable: true,
    };
    await expect(broken.request(request)).rejects.toThrow(GitProcessError);
    await broken.close();
  });
});
