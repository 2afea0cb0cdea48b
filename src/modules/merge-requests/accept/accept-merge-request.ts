import { Injectable } from '@nestjs/common';
import { recordNotFound } from '../../../platform/errors/index.js';
import { BeginWaiting } from '../build-success/begin-waiting.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { AcceptJudge } from './accept-judge.js';
import type { Merger } from './merge-branches.js';
import { MergeNow } from './merge-now.js';
import type { MergeTerms } from './merge-terms.js';

export interface AcceptInput extends MergeTerms {
  /** Whether to wait for the build, if that has not succeeded yet. */
  whenBuildSucceeds: boolean;
  /** What the caller takes the head to be. */
  sha?: string | undefined;
}

/** Accepts merge requests: now, or when the build succeeds (docs/reference/merge-requests.md#accepting). */
@Injectable()
export class AcceptMergeRequest {
  constructor(
    private readonly requests: MergeRequestsRepository,
    private readonly judge: AcceptJudge,
    private readonly waiting: BeginWaiting,
    private readonly merging: MergeNow,
  ) {}

  /**
   * Not to be called inside a unit of work.
   * @returns the request as it is then
   * @throws DomainError record not found, unauthenticated without the right, not acceptable when it is
   *   merged or closed, conflict, method not allowed
   */
  async run(merger: Merger, id: number, input: AcceptInput): Promise<LocatedMergeRequest> {
    const { access } = merger;
    const mergeRequest = await this.find(access.project.id, id);
    const refusal = await this.judge.refusal({ access, mergeRequest, ...input });
    if (refusal !== null) throw refusal;
    const waits =
      input.whenBuildSucceeds && (await this.waiting.run(merger.user, mergeRequest, input));
    if (!waits) await this.merging.run(merger, mergeRequest, input, { isAutomatic: false });
    return this.find(access.project.id, id);
  }

  private async find(projectId: number, id: number): Promise<LocatedMergeRequest> {
    const mergeRequest = await this.requests.findIn(projectId, id);
    if (mergeRequest === null) throw recordNotFound();
    return mergeRequest;
  }
}
