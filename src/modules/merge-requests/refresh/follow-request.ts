import { Injectable } from '@nestjs/common';
import type { Repository } from '../../../git/index.js';
import { RecordMerge } from '../accept/record-merge.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { MergeRequestVersions } from '../versions/merge-request-versions.js';
import { RequestBranches } from '../versions/request-branches.js';
import { FollowSource } from './follow-source.js';
import type { FollowPayload, MovedBranch } from './refresh.jobs.js';
import { type Effect, TargetMoves } from './target-moves.js';

/** Moves of the branches of one merge request by one push. */
interface Moves {
  source: MovedBranch | undefined;
  target: MovedBranch | undefined;
}

/** Brings one open merge request up to date that a push concerns; its row is locked. */
@Injectable()
export class FollowRequest {
  constructor(
    private readonly versions: MergeRequestVersions,
    private readonly branches: RequestBranches,
    private readonly source: FollowSource,
    private readonly targets: TargetMoves,
    private readonly merges: RecordMerge,
  ) {}

  /**
   * @param effect what the push means to it as far as its head stays the same
   * @throws GitError
   * @throws DomainError storage limit
   */
  async run(request: LocatedMergeRequest, push: FollowPayload, effect: Effect): Promise<void> {
    const moves = movesOf(request, push);
    const repository = await this.branches.repositoryOf(request.projectId);
    if (repository === null) return;
    // Where one push moves both, the source counts as moved first.
    const { headSha, effect: found } =
      moves.source === undefined
        ? { headSha: request.headSha, effect }
        : await this.followSource(request, push.userId, moves, repository);
    if (found === 'merged') {
      await this.merges.run({ ...request, headSha }, { commitSha: null, userId: push.userId });
    } else if (found === 'changed') {
      await this.versions.record(request);
    }
  }

  private async followSource(
    request: LocatedMergeRequest,
    userId: number,
    { source, target: targetMove }: Moves,
    target: Repository,
  ): Promise<{ headSha: string | null; effect: Effect }> {
    const version = await this.versions.record(request, targetMove?.before ?? undefined);
    if (version === null) return { headSha: request.headSha, effect: null };
    const isRestored = source?.before === null;
    await this.source.moved({ request, version, target, isRestored, userId });
    const effect =
      targetMove === undefined ? null : await this.targets.effectOn(target, targetMove, version);
    return { headSha: version.head, effect };
  }
}

function movesOf(request: LocatedMergeRequest, { projectId, branches }: FollowPayload): Moves {
  const find = (id: number | null, name: string): MovedBranch | undefined =>
    id === projectId ? branches.find((branch) => branch.name === name) : undefined;
  return {
    source: find(request.sourceProjectId, request.sourceBranch),
    target: find(request.projectId, request.targetBranch),
  };
}
