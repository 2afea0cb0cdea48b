import { Injectable, Logger } from '@nestjs/common';
import type { Diff, Repository } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  type JobRequest,
} from '../../../platform/queue/index.js';
import {
  type DiffPosition,
  type FollowedPosition,
  PositionsRepository,
} from '../../issuables/index.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { PositionFollower, type VersionCommits } from './diff-positions.js';
import { isGitFailure, MergeRequestBranches } from './merge-request-branches.js';
import { VersionsRepository } from './versions.repository.js';

/** Pushes come in bursts: one run a little later serves all of them. */
const FOLLOW_DELAY_MS = 1_000;

/** Threads of one statement. */
const BATCH = 1_000;

interface FollowPayload {
  mergeRequestId: number;
}

/** Follows the positions of the notes of a merge request to its newest version. */
const followPositions = defineJob<FollowPayload>('merge-requests', 'follow-positions', {
  timeLimitMs: 30 * 60_000,
});

export const followPositionsSoon = (mergeRequestId: number): JobRequest =>
  followPositions.with({ mergeRequestId }, { delayMs: FOLLOW_DELAY_MS });

const SAME: Diff = { entries: [], isCut: false };

/**
 * Follows positions to the newest version of a merge request (docs/decisions/0075-positions-of-notes.md): with three differences
 * for all positions of one version. A position that is not there any more stays as it is, and is outdated. Can be repeated.
 */
@Injectable()
@HandlesJob(followPositions)
export class FollowPositionsJob implements JobHandler<FollowPayload> {
  private readonly logger = new Logger(FollowPositionsJob.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly versions: VersionsRepository,
    private readonly branches: MergeRequestBranches,
    private readonly positions: PositionsRepository,
  ) {}

  async handle(
    { mergeRequestId }: FollowPayload,
    { signal }: Pick<JobContext, 'signal'>,
  ): Promise<void> {
    const [request] = await this.mergeRequests.findHeads([mergeRequestId]);
    const repository = request && (await this.branches.findRepository(request.projectId));
    const version = await this.versions.findNewestCommits(mergeRequestId);
    if (!repository || version === null) return;
    for (let after: number | null = 0; after !== null;) {
      const batch: FollowedPosition[] = await this.positions.findBehind(mergeRequestId, {
        version,
        after,
        limit: BATCH,
      });
      for (const behind of ofOneVersion(batch)) {
        signal.throwIfAborted();
        await this.follow(repository, mergeRequestId, version, behind);
      }
      after = batch.length < BATCH ? null : (batch.at(-1)?.discussionId ?? null);
    }
  }

  /** Follows positions of one version. Skips them if git fails: the next push tries again. */
  private async follow(
    repository: Repository,
    mergeRequestId: number,
    version: VersionCommits,
    behind: readonly FollowedPosition[],
  ): Promise<void> {
    const [first] = behind;
    if (first === undefined) return;
    try {
      const follower = await findFollower(repository, first.position, version);
      const followed = behind.map((one) => ({ ...one, now: follower.follow(one.position) }));
      await this.work.run(async () => {
        // Replies take over the position of their thread under the same lock.
        await this.mergeRequests.lock([mergeRequestId]);
        await this.positions.move(followed);
      });
    } catch (error) {
      if (!isGitFailure(error)) throw error;
      const text = `Positions on merge request ${String(mergeRequestId)} cannot be followed`;
      this.logger.warn(text, error);
    }
  }
}

async function findFollower(
  repository: Repository,
  { baseSha, headSha }: DiffPosition,
  version: VersionCommits,
): Promise<PositionFollower> {
  const { base, head } = version;
  return new PositionFollower(version, {
    ofVersion: await repository.diff(base, head),
    heads: headSha === head ? SAME : await repository.diff(headSha, head),
    bases: baseSha === base ? SAME : await repository.diff(baseSha, base),
  });
}

/** Puts positions of the same commits together. */
function ofOneVersion(positions: readonly FollowedPosition[]): FollowedPosition[][] {
  const groups = new Map<string, FollowedPosition[]>();
  for (const one of positions) {
    const { baseSha, headSha } = one.position;
    const key = `${baseSha} ${headSha}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}
