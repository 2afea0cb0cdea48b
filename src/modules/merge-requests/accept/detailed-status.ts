import { Injectable } from '@nestjs/common';
import { type CombinedState, CombinedStatuses } from '../../repository/index.js';
import { isOpen, isWorkInProgress } from '../model/merge-request.entity.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { hasSucceeded, headPipeline } from './accept-checks.js';

/** What a merge of a request would meet first, for a user who may accept it. */
export type DetailedMergeStatus =
  | 'mergeable'
  | 'not-open'
  | 'draft'
  | 'build-running'
  | 'build-missing'
  | 'unchecked'
  | 'not-mergeable';

/** Finds what stands in the way of merges, in the order of the checks of `findRefusal`. */
@Injectable()
export class DetailedStatuses {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly statuses: CombinedStatuses,
  ) {}

  /** Finds the status of each request, by ID. */
  async find(
    requests: readonly LocatedMergeRequest[],
  ): Promise<ReadonlyMap<number, DetailedMergeStatus>> {
    const waiting = requests.filter(
      (request) => isOpen(request) && !isWorkInProgress(request.title),
    );
    const projectIds = [...new Set(waiting.map(({ projectId }) => projectId))];
    const requiring = await this.mergeRequests.findRequiringBuild(projectIds);
    const found = new Map<number, DetailedMergeStatus>();
    for (const request of requests) {
      const builds = requiring.has(request.projectId) ? await this.findBuild(request) : null;
      found.set(request.id, statusOf(request, builds));
    }
    return found;
  }

  private async findBuild(request: LocatedMergeRequest): Promise<CombinedState | null> {
    const pipeline = headPipeline(request);
    return pipeline === null || !isOpen(request) ? null : this.statuses.ofPipeline(pipeline);
  }
}

/** @param build null if there is none, or the project does not require one */
function statusOf(request: LocatedMergeRequest, build: CombinedState | null): DetailedMergeStatus {
  if (!isOpen(request)) return 'not-open';
  if (isWorkInProgress(request.title)) return 'draft';
  if (build !== null && !hasSucceeded(build)) {
    return build === 'pending' || build === 'running' ? 'build-running' : 'build-missing';
  }
  if (request.mergeStatus === 'unchecked') return 'unchecked';
  return request.mergeStatus === 'can_be_merged' ? 'mergeable' : 'not-mergeable';
}
