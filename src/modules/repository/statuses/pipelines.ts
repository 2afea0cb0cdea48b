import { Injectable } from '@nestjs/common';
import type { CombinedState } from './combined-status.js';
import { CombinedStatuses } from './combined-statuses.js';
import { CommitStatusesRepository, type StatusKey } from './commit-statuses.repository.js';

/** The statuses of one commit on one ref (docs/reference/commit-statuses.md#the-status-of-a-commit). */
export type PipelineKey = Omit<StatusKey, 'name'>;

/** Tells what pipelines have come to. */
@Injectable()
export class Pipelines {
  constructor(
    private readonly statuses: CommitStatusesRepository,
    private readonly combined: CombinedStatuses,
  ) {}

  /** Null without any status. */
  state({ projectId, sha, ref }: PipelineKey): Promise<CombinedState | null> {
    return this.combined.ofPipeline(projectId, sha, ref);
  }

  /** The same; it stays so to the end of the unit of work, for which whoever posts a status waits. */
  async hold(pipeline: PipelineKey): Promise<CombinedState | null> {
    await this.statuses.lockPipeline(pipeline);
    return this.state(pipeline);
  }
}
