import { Injectable } from '@nestjs/common';
import type { DomainError } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { ProtectedBranchesService, CombinedStatuses } from '../../repository/index.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { refusalOf } from './accept-checks.js';
import { hasSucceeded, headPipeline } from './head-pipeline.js';
import { MergesRepository } from './merges.repository.js';
import { SettledMergeability } from './settled-mergeability.js';

export interface Acceptance {
  /** Of who accepts. */
  access: ProjectAccess;
  mergeRequest: LocatedMergeRequest;
  /** What they take the head to be. */
  sha?: string | undefined;
  /** Whether it may wait for the build. */
  whenBuildSucceeds: boolean;
}

/**
 * Gathers what accepting a merge request is judged by
 * (docs/reference/merge-requests.md#put-projectsidmerge_requestsmerge_request_idmerge).
 */
@Injectable()
export class AcceptJudge {
  constructor(
    private readonly protectedBranches: ProtectedBranchesService,
    private readonly merges: MergesRepository,
    private readonly statuses: CombinedStatuses,
    private readonly mergeability: SettledMergeability,
  ) {}

  /**
   * Why it cannot be accepted; null when it can.
   * @throws DomainError conflict when somebody else has merged or changed it meanwhile
   */
  refusal({
    access,
    mergeRequest,
    sha,
    whenBuildSucceeds,
  }: Acceptance): Promise<DomainError | null> {
    return refusalOf({
      mergeRequest,
      sha,
      mayMerge: () => this.protectedBranches.mayMerge(access, mergeRequest.targetBranch),
      awaitsBuild: async () => !whenBuildSucceeds && (await this.awaitsBuild(mergeRequest)),
      isMergeable: () => this.mergeability.check(mergeRequest),
    });
  }

  private async awaitsBuild(mergeRequest: LocatedMergeRequest): Promise<boolean> {
    const pipeline = headPipeline(mergeRequest);
    if (pipeline === null || !(await this.merges.awaitsBuilds(mergeRequest.projectId)))
      return false;
    const state = await this.statuses.ofPipeline(pipeline);
    return state !== null && !hasSucceeded(state);
  }
}
