import type { Diff, Repository } from '../../../../src/git/index.js';
import type { UnitOfWork } from '../../../../src/platform/database/index.js';
import type { JobRequest, Outbox } from '../../../../src/platform/queue/index.js';
import type {
  DiffPosition,
  FollowedPosition,
  MovedPosition,
  PositionsRepository,
} from '../../../../src/modules/issuables/index.js';
import type { MergeRequestsRepository } from '../../../../src/modules/merge-requests/model/merge-requests.repository.js';
import type { VersionCommits } from '../../../../src/modules/merge-requests/versions/diff-positions.js';
import { FollowPositionsJob } from '../../../../src/modules/merge-requests/versions/follow-positions.job.js';
import type { MergeRequestBranches } from '../../../../src/modules/merge-requests/versions/merge-request-branches.js';
import type { VersionsRepository } from '../../../../src/modules/merge-requests/versions/versions.repository.js';

type Payload = Parameters<FollowPositionsJob['handle']>[0];

const ID = 7;

const versionAt = (head: string): VersionCommits => ({ base: 'base', start: 'start', head });

const threadAt = (discussionId: number, baseSha: string, notes = 1): FollowedPosition => ({
  discussionId,
  notes,
  position: {
    type: 'text',
    baseSha,
    startSha: 'start',
    headSha: 'v1',
    oldPath: 'text',
    newPath: 'text',
    oldLine: null,
    newLine: 1,
    lineRange: null,
  } as DiffPosition,
});

const threads = (count: number, baseOf: (index: number) => string, notes = 1): FollowedPosition[] =>
  Array.from({ length: count }, (_, index) => threadAt(index + 1, baseOf(index), notes));

/** A request whose threads are in memory. */
class FakeRequest {
  version = versionAt('v2');
  readonly compared: string[] = [];
  readonly added: JobRequest[] = [];
  /** The IDs of the threads that each transaction has moved. */
  readonly moved: number[][] = [];
  /** Called when the lock of the request is taken. */
  onLock = (): void => undefined;
  private readonly threads: Map<number, FollowedPosition>;

  constructor(threads: readonly FollowedPosition[]) {
    this.threads = new Map(threads.map((thread) => [thread.discussionId, thread]));
  }

  readonly job = new FollowPositionsJob(
    { run: <T>(work: () => Promise<T>) => work() } as unknown as UnitOfWork,
    {
      addUnlessWaiting: async (job: JobRequest) => {
        await Promise.resolve();
        this.added.push(job);
      },
    } as unknown as Outbox,
    {
      findHeads: () => Promise.resolve([{ projectId: 1 }]),
      lock: async () => {
        await Promise.resolve();
        this.onLock();
      },
    } as unknown as MergeRequestsRepository,
    {
      findNewestCommits: () => Promise.resolve(this.version),
    } as unknown as VersionsRepository,
    {
      findRepository: () =>
        Promise.resolve({ diff: (from, to) => this.diff(from, to) } as Partial<Repository>),
    } as unknown as MergeRequestBranches,
    {
      findBehind: (_: number, { version, after, limit }) =>
        Promise.resolve(this.findBehind(version.head, after).slice(0, limit)),
      move: async (moved: readonly MovedPosition[]) => {
        await Promise.resolve();
        this.move(moved);
      },
    } as Partial<PositionsRepository> as PositionsRepository,
  );

  run(payload: Payload = { mergeRequestId: ID }): Promise<void> {
    return this.job.handle(payload, { signal: new AbortController().signal });
  }

  /** Runs the job, and those that it adds; returns how many threads each has moved. */
  async runAll(): Promise<number[]> {
    const counts: number[] = [];
    for (let payload: Payload | undefined = { mergeRequestId: ID }; payload !== undefined;) {
      const before = this.moved.flat().length;
      await this.run(payload);
      counts.push(this.moved.flat().length - before);
      payload = this.added.shift()?.payload as Payload | undefined;
    }
    return counts;
  }

  headOf(id: number): string | undefined {
    return this.threads.get(id)?.position.headSha;
  }

  private findBehind(head: string, after: number): FollowedPosition[] {
    return [...this.threads.values()].filter(
      ({ discussionId, position }) => discussionId > after && position.headSha !== head,
    );
  }

  private diff(from: string | null, to: string): Promise<Diff> {
    this.compared.push(`${String(from)} ${to}`);
    const text = '@@ -0,0 +1 @@\n+one\n';
    const file = { change: 'modified', oldPath: 'text', newPath: 'text', oldOid: '1', newOid: '1' };
    const entries = to === this.version.head ? [{ ...file, text }] : [];
    return Promise.resolve({ entries, isCut: false } as unknown as Diff);
  }

  private move(moved: readonly MovedPosition[]): void {
    this.moved.push(moved.map(({ discussionId }) => discussionId));
    for (const { now, ...thread } of moved)
      this.threads.set(thread.discussionId, { ...thread, position: now ?? thread.position });
  }
}

describe('the job that follows positions', () => {
  it('compares the new version once, and a former one with two comparisons', async () => {
    const request = new FakeRequest(threads(500, (index) => `base${String(index % 2)}`));
    await request.run();
    expect(request.compared).toEqual(['base v2', 'v1 v2', 'base0 base', 'v1 v2', 'base1 base']);
    expect(request.added).toEqual([]);
  });

  it('follows fifty former versions with one run, and the others with the next ones', async () => {
    const request = new FakeRequest(threads(120, (index) => `base${String(index)}`));
    await request.run();
    expect(request.compared).toHaveLength(1 + 2 * 50);
    expect(request.added.map(({ payload }) => payload)).toEqual([
      { mergeRequestId: ID, rest: { after: 50, version: versionAt('v2') } },
    ]);
    expect(await new FakeRequest(threads(120, String)).runAll()).toEqual([50, 50, 20]);
    expect(await new FakeRequest(threads(1001, () => 'base')).runAll()).toEqual([1000, 1]);
  });

  it('moves at most a thousand notes with one transaction, and a thread with one', async () => {
    const request = new FakeRequest([
      ...threads(9, () => 'base', 200),
      threadAt(10, 'base', 2000),
      threadAt(11, 'base'),
    ]);
    await request.run();
    expect(request.moved).toEqual([[1, 2, 3, 4, 5], [6, 7, 8, 9], [10], [11]]);
  });

  it('leaves the event loop to others after each thread', async () => {
    const request = new FakeRequest(threads(300, () => 'base'));
    let turns = 0;
    let isRunning = true;
    const count = (): void => {
      turns += 1;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    await request.run();
    isRunning = false;
    expect(turns).toBeGreaterThanOrEqual(299);
  });

  it('moves nothing to a version that is not the newest one any more', async () => {
    const request = new FakeRequest(threads(8, () => 'base', 200));
    let locks = 0;
    request.onLock = () => {
      locks += 1;
      if (locks === 2) request.version = versionAt('v3');
    };
    await request.run();
    expect(request.moved).toEqual([[1, 2, 3, 4, 5]]);
    expect(request.added).toEqual([]);
    await request.run();
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((id) => request.headOf(id))).toEqual(Array(8).fill('v3'));
  });

  it('does not go on with an earlier version', async () => {
    const request = new FakeRequest(threads(60, String));
    await request.run({ mergeRequestId: ID, rest: { after: 50, version: versionAt('v1') } });
    expect([request.compared, request.moved]).toEqual([[], []]);
  });
});
