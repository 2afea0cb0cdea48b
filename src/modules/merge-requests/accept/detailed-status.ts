import { Injectable } from '@nestjs/common';
import type { Subject } from '../../authorization/index.js';
import { DiscussionsRepository } from '../../issuables/index.js';
import { type CombinedState, CombinedStatuses } from '../../repository/index.js';
import { isOpen, isWorkInProgress } from '../model/merge-request.entity.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { isApproved, type MergeRules, requiresBase, squashes } from '../model/merge-rules.js';
import { hasSucceeded, headPipeline } from './accept-checks.js';

/** What a merge of a request would meet first, for a user who may accept it. */
export type DetailedMergeStatus =
  | 'mergeable'
  | 'not-open'
  | 'draft'
  | 'discussions-unresolved'
  | 'build-running'
  | 'build-missing'
  | 'not-approved'
  | 'unchecked'
  | 'not-mergeable'
  | 'needs-rebase';

/** What is to be expected of a merge. */
export interface MergeOutlook {
  readonly status: DetailedMergeStatus;
  /** Whether it squashes, unless the user who merges says otherwise. */
  readonly squashes: boolean;
  /** Whether the project requires resolved threads, and one is not. */
  readonly awaitsResolution: boolean;
}

/** Finds what stands in the way of merges, in the order of the checks of `findRefusal`. */
@Injectable()
export class DetailedStatuses {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly statuses: CombinedStatuses,
    private readonly discussions: DiscussionsRepository,
  ) {}

  /**
   * Finds the outlook of each request, by ID. Builds are not public: for a reader without an account it is as if no
   * project required them.
   */
  async find(
    requests: readonly LocatedMergeRequest[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, MergeOutlook>> {
    const projectIds = [...new Set(requests.map(({ projectId }) => projectId))];
    const ofProjects = await this.mergeRequests.findMergeRules(projectIds);
    const rulesOf = ({ projectId }: LocatedMergeRequest): MergeRules | undefined =>
      ofProjects.get(projectId);
    const constrained = requests.filter((request) => {
      const rules = rulesOf(request);
      const mayHaveToBeRebased = isOpen(request) && request.mergeStatus === 'can_be_merged';
      return mayHaveToBeRebased && rules !== undefined && requiresBase(rules);
    });
    const based = await this.mergeRequests.findBased(constrained.map(({ id }) => id));
    const behind = new Set(constrained.filter(({ id }) => !based.has(id)));
    const built = requests.filter(
      (request) => reader !== null && isOpen(request) && rulesOf(request)?.requiresBuild === true,
    );
    const builds = await this.findBuilds(built);
    const discussed = requests.filter((request) => rulesOf(request)?.requiresResolution === true);
    const unresolved = await this.discussions.findUnresolved(discussed.map(({ id }) => id));
    const found = new Map<number, MergeOutlook>();
    for (const request of requests) {
      const rules = rulesOf(request);
      const awaitsResolution = unresolved.has(request.id);
      found.set(request.id, {
        status: statusOf(request, {
          awaitsResolution,
          build: builds.get(request.id) ?? null,
          isApproved: rules === undefined || isApproved(rules, request),
          isBehind: behind.has(request),
        }),
        awaitsResolution,
        squashes: rules !== undefined && squashes(rules, request.squash),
      });
    }
    return found;
  }

  /** Finds the combined state of the head pipeline of each request, by ID; null or absent without one. */
  private async findBuilds(
    requests: readonly LocatedMergeRequest[],
  ): Promise<ReadonlyMap<number, CombinedState | null>> {
    const heads = requests.flatMap((request) => {
      const pipeline = headPipeline(request);
      return pipeline === null ? [] : [{ id: request.id, pipeline }];
    });
    const states = await this.statuses.ofPipelines(heads.map(({ pipeline }) => pipeline));
    return new Map(heads.map(({ id }, index) => [id, states[index] ?? null]));
  }
}

/** What the rules of the project find of a request. */
interface RuleFindings {
  readonly awaitsResolution: boolean;
  /** Null if there is none, or it does not count. */
  readonly build: CombinedState | null;
  readonly isApproved: boolean;
  /** Whether the project requires a source branch that is based on the target branch, and it is not. */
  readonly isBehind: boolean;
}

function statusOf(request: LocatedMergeRequest, found: RuleFindings): DetailedMergeStatus {
  const { build } = found;
  if (!isOpen(request)) return 'not-open';
  if (isWorkInProgress(request.title)) return 'draft';
  if (found.awaitsResolution) return 'discussions-unresolved';
  if (build !== null && !hasSucceeded(build)) {
    return build === 'pending' || build === 'running' ? 'build-running' : 'build-missing';
  }
  if (!found.isApproved) return 'not-approved';
  if (request.mergeStatus === 'unchecked') return 'unchecked';
  if (request.mergeStatus === 'cannot_be_merged') return 'not-mergeable';
  return found.isBehind ? 'needs-rebase' : 'mergeable';
}
