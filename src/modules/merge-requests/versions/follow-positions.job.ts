import { Injectable, Logger } from '@nestjs/common';
import type { Diff, Repository } from '../../../git/index.js';
import { runPaced } from '../../../platform/async/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  type JobRequest,
  Outbox,
} from '../../../platform/queue/index.js';
import {
  type FollowedPosition,
  type MovedPosition,
  PositionsRepository,
} from '../../issuables/index.js';
import { ShownFiles } from '../../repository/index.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { PositionFollower, type VersionCommits } from './diff-positions.js';
import { isGitFailure, MergeRequestBranches } from './merge-request-branches.js';
import { VersionsRepository } from './versions.repository.js';

/** Pushes come in bursts: one run a little later serves all of them. */
const FOLLOW_DELAY_MS = 1_000;

/** Threads of one run. */
const THREADS_PER_RUN = 1_000;

/** How many versions the positions of one run come from, each of which takes two comparisons. */
const VERSIONS_PER_RUN = 50;

/** How many notes one transaction moves, while pushes to the request wait for its lock. A thread is moved whole. */
const NOTES_AT_ONCE = 1_000;

interface FollowPayload {
  mergeRequestId: number;
  /** Set for what an earlier run has left: the threads behind this one, to this version. */
  rest?: { readonly after: number; readonly version: VersionCommits };
}

/** Follows the positions of the notes of a merge request to its newest version. */
const followPositions = defineJob<FollowPayload>('merge-requests', 'follow-positions', {
  timeLimitMs: 30 * 60_000,
});

export const followPositionsSoon = (
  mergeRequestId: number,
  rest?: FollowPayload['rest'],
): JobRequest =>
  followPositions.with({ mergeRequestId, ...(rest && { rest }) }, { delayMs: FOLLOW_DELAY_MS });

const SAME: Diff = { entries: [], isCut: false };

/** What one run follows positions with. */
interface Run {
  readonly repository: Repository;
  readonly mergeRequestId: number;
  readonly version: VersionCommits;
  readonly signal: AbortSignal;
}

/**
 * Follows positions to the newest version of a merge request (docs/decisions/0075-positions-of-notes.md): with one difference for
 * all, and two for those of one version. A position that is not there any more stays as it is, and is outdated. Can be repeated.
 */
@Injectable()
@HandlesJob(followPositions)
export class FollowPositionsJob implements JobHandler<FollowPayload> {
  private readonly logger = new Logger(FollowPositionsJob.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly versions: VersionsRepository,
    private readonly branches: MergeRequestBranches,
    private readonly positions: PositionsRepository,
  ) {}

  async handle(
    { mergeRequestId, rest }: FollowPayload,
    { signal }: Pick<JobContext, 'signal'>,
  ): Promise<void> {
    const [request] = await this.mergeRequests.findHeads([mergeRequestId]);
    const repository = request && (await this.branches.findRepository(request.projectId));
    const version = await this.versions.findNewestCommits(mergeRequestId);
    if (!repository || version === null) return;
    if (rest && !isSameVersion(rest.version, version)) return;
    const behind = await this.positions.findBehind(mergeRequestId, {
      version,
      after: rest?.after ?? 0,
      limit: THREADS_PER_RUN,
    });
    const { groups, count } = groupByVersion(behind, VERSIONS_PER_RUN);
    const last = behind[count - 1];
    if (last === undefined) return;
    const run: Run = { repository, mergeRequestId, version, signal };
    const goesOn = await this.followAll(run, groups);
    if (!goesOn || (count === behind.length && count < THREADS_PER_RUN)) return;
    await this.work.run(() =>
      this.outbox.addUnlessWaiting(
        followPositionsSoon(mergeRequestId, { after: last.discussionId, version }),
      ),
    );
  }

  /** @returns whether others can be followed to the version too: not if git fails on it, or it is the newest one no more */
  private async followAll(
    run: Run,
    groups: readonly (readonly FollowedPosition[])[],
  ): Promise<boolean> {
    const shown = await this.unlessGitFails(run, () => findShown(run));
    if (shown === null) return false;
    for (const group of groups) {
      const follower = await this.unlessGitFails(run, () => findFollower(run, shown, group));
      if (follower !== null && !(await this.follow(run, follower, group))) return false;
    }
    return true;
  }

  /**
   * Moves threads of one version, some at a time.
   * @returns false if the request has a newer version: a job of that one follows what is left
   */
  private async follow(
    { mergeRequestId, version, signal }: Run,
    follower: PositionFollower,
    group: readonly FollowedPosition[],
  ): Promise<boolean> {
    for (const threads of cutByNotes(group)) {
      const moved: MovedPosition[] = [];
      for (const thread of threads) {
        signal.throwIfAborted();
        const now = await runPaced(() => follower.follow(thread.position));
        moved.push({ ...thread, now });
      }
      const isNewest = await this.work.run(async () => {
        // Replies take over the position of their thread under the same lock, and versions are recorded under it.
        await this.mergeRequests.lock([mergeRequestId]);
        const newest = await this.versions.findNewestCommits(mergeRequestId);
        if (newest === null || !isSameVersion(newest, version)) return false;
        await this.positions.move(moved);
        return true;
      });
      if (!isNewest) return false;
    }
    return true;
  }

  /** Returns null if git fails: the next push tries again. */
  private async unlessGitFails<T>(
    { mergeRequestId, signal }: Run,
    compare: () => Promise<T>,
  ): Promise<T | null> {
    signal.throwIfAborted();
    try {
      return await compare();
    } catch (error) {
      if (!isGitFailure(error)) throw error;
      const text = `Positions on merge request ${String(mergeRequestId)} cannot be followed`;
      this.logger.warn(text, error);
      return null;
    }
  }
}

const findShown = async ({ repository, version: { base, head } }: Run): Promise<ShownFiles> =>
  new ShownFiles(await repository.diff(base, head));

async function findFollower(
  { repository, version }: Run,
  shown: ShownFiles,
  [first]: readonly FollowedPosition[],
): Promise<PositionFollower | null> {
  if (first === undefined) return null;
  const { base, head } = version;
  const { baseSha, headSha } = first.position;
  return new PositionFollower(version, shown, {
    heads: headSha === head ? SAME : await repository.diff(headSha, head),
    bases: baseSha === base ? SAME : await repository.diff(baseSha, base),
  });
}

const isSameVersion = (one: VersionCommits, other: VersionCommits): boolean =>
  one.base === other.base && one.start === other.start && one.head === other.head;

/**
 * Puts positions of the same commits together.
 * @param limit how many groups there may be
 * @returns also how many positions are in them: those before the first one that would need one more group
 */
function groupByVersion(
  positions: readonly FollowedPosition[],
  limit: number,
): { groups: FollowedPosition[][]; count: number } {
  const groups = new Map<string, FollowedPosition[]>();
  let count = 0;
  for (const one of positions) {
    const { baseSha, headSha } = one.position;
    const key = `${baseSha} ${headSha}`;
    const group = groups.get(key);
    if (group === undefined && groups.size === limit) break;
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
    count += 1;
  }
  return { groups: [...groups.values()], count };
}

/** Cuts threads into pieces of at most so many notes as one transaction moves. */
function* cutByNotes(threads: readonly FollowedPosition[]): Generator<FollowedPosition[]> {
  let piece: FollowedPosition[] = [];
  let notes = 0;
  for (const thread of threads) {
    if (piece.length > 0 && notes + thread.notes > NOTES_AT_ONCE) {
      yield piece;
      piece = [];
      notes = 0;
    }
    piece.push(thread);
    notes += thread.notes;
  }
  if (piece.length > 0) yield piece;
}
