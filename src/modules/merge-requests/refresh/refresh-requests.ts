import { Injectable, Logger } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { isStorageLimit } from '../../projects/index.js';
import { AcceptedRequests } from '../accept/accepted-requests.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { FollowRequest } from './follow-request.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { isOfGit } from './git-failures.js';
import { checkSoon, type FollowPayload, recordVersion } from './refresh.jobs.js';
import { type Effect, type Effects, TargetMoves } from './target-moves.js';

/**
 * Brings the open merge requests up to date whose branches a push has moved
 * (docs/reference/merge-requests.md#pushes-and-branches).
 */
@Injectable()
export class RefreshRequests {
  private readonly logger = new Logger(RefreshRequests.name);

  constructor(
    private readonly accepted: AcceptedRequests,
    private readonly requests: FollowedRequestsRepository,
    private readonly request: FollowRequest,
    private readonly targets: TargetMoves,
    private readonly outbox: Outbox,
  ) {}

  /** Call in the unit of work that records the push, with its push lock held. Can be repeated. */
  async run(push: FollowPayload): Promise<void> {
    const { projectId, branches } = push;
    const names = branches.map(({ name }) => name);
    const sources = await this.requests.comingFrom(projectId, names);
    const affectsAny = await this.requests.lockAffected(projectId, names, sources);
    await this.accepted.record(projectId, branches);
    if (!affectsAny) return;
    const effects = await this.effectsOf(push);
    const concerned = [...new Set([...sources, ...effects.keys()])];
    for (const request of await this.requests.lock(concerned)) {
      await this.follow(request, push, effects.get(request.id) ?? null);
    }
    // Only now: a request that the push has merged keeps the status that it was merged with.
    const doubtful = await this.requests.uncheck(projectId, names, sources);
    for (const id of doubtful) await this.outbox.addUnlessWaiting(checkSoon(id));
  }

  private async effectsOf({ projectId, branches }: FollowPayload): Promise<Effects> {
    try {
      return await this.targets.effectsOf(projectId, branches);
    } catch (error) {
      this.forgive(error, `What a push to project ${String(projectId)} has merged is not known`);
      return new Map();
    }
  }

  private async follow(
    request: LocatedMergeRequest,
    push: FollowPayload,
    effect: Effect,
  ): Promise<void> {
    try {
      await this.request.run(request, push, effect);
    } catch (error) {
      this.forgive(error, `Merge request ${String(request.id)} does not follow a push yet`);
      await this.postpone(request, push, effect);
    }
  }

  /** Whoever wanted the request merged did not want what it is by now, whatever that is. */
  private async postpone(
    { id: mergeRequestId, sourceProjectId, sourceBranch, targetBranch }: LocatedMergeRequest,
    { branches, ...push }: FollowPayload,
    effect: Effect,
  ): Promise<void> {
    const some = branches.filter(({ name }) => name === sourceBranch || name === targetBranch);
    const isMoved =
      sourceProjectId === push.projectId && some.some(({ name }) => name === sourceBranch);
    if (isMoved) await this.requests.stopWaiting(mergeRequestId);
    const payload = { mergeRequestId, push: { ...push, branches: some }, effect };
    await this.outbox.add(recordVersion.with(payload));
  }

  /**
   * A push that has happened is recorded, whatever git can still say of it, and also where the target
   * project has no room for its commits.
   */
  private forgive(error: unknown, text: string): void {
    if (!isOfGit(error) && !isStorageLimit(error)) throw error;
    this.logger.warn(text, error);
  }
}
