import { Injectable } from '@nestjs/common';
import type { MoveEffects, Oid, Repository } from '../../../git/index.js';
import { RequestBranches } from '../versions/request-branches.js';
import type { RecordedVersion } from '../versions/versions.repository.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import type { MovedBranch } from './refresh.jobs.js';

/** What becomes of a merge request whose target branch has moved; null when no more than its status. */
export type Effect = 'merged' | 'changed' | null;

/** By the IDs of requests, without those whose status alone is concerned. */
export type Effects = ReadonlyMap<number, Effect>;

/** Finds out what moves of target branches mean to the open merge requests that go there. */
@Injectable()
export class TargetMoves {
  constructor(
    private readonly requests: FollowedRequestsRepository,
    private readonly branches: RequestBranches,
  ) {}

  /** What a push to branches of a project means to the requests that go there. */
  async effectsOf(projectId: number, branches: readonly MovedBranch[]): Promise<Effects> {
    const names = branches.map(({ name }) => name);
    const requests = await this.requests.goingTo(projectId, names);
    const target = requests.length === 0 ? null : await this.branches.repositoryOf(projectId);
    const effects = new Map<number, Effect>();
    if (target === null) return effects;
    for (const branch of branches) {
      const there = requests.filter(({ targetBranch }) => targetBranch === branch.name);
      if (there.length === 0) continue;
      const heads = [...new Set(there.map(({ headSha }) => headSha))];
      const moved = await target.effectsOf(branch, heads);
      for (const request of there) {
        const effect = effectOn(request, moved);
        if (effect !== null) effects.set(request.id, effect);
      }
    }
    return effects;
  }

  /** What the move of a branch means to one request. */
  async effectOn(
    target: Repository,
    branch: MovedBranch,
    { head, isEmpty }: RecordedVersion,
  ): Promise<Effect> {
    return effectOn({ headSha: head, isEmpty }, await target.effectsOf(branch, [head]));
  }
}

/** One without commits has nothing that could have arrived. */
function effectOn(
  { headSha, isEmpty }: { headSha: Oid; isEmpty: boolean },
  { isForced, arrived, begun }: MoveEffects,
): Effect {
  if (!isEmpty && arrived.has(headSha)) return 'merged';
  return isForced || begun.has(headSha) ? 'changed' : null;
}
