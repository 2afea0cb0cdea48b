import { Injectable } from '@nestjs/common';
import { notFound } from '../../../../platform/errors/index.js';
import type { ProjectRef } from '../../../authorization/index.js';
import { CombinedStatuses } from './combined-statuses.js';
import { CommitStatusesRepository, type PipelineSummary } from './commit-statuses.repository.js';
import type { CombinedState } from './status.rules.js';

/** The statuses of one commit on one ref, taken together. Its id is that of the first of them. */
export interface Pipeline extends PipelineSummary {
  sha: string;
  status: CombinedState;
}

/** Derives pipelines from commit statuses. */
@Injectable()
export class Pipelines {
  constructor(
    private readonly statuses: CommitStatusesRepository,
    private readonly combined: CombinedStatuses,
  ) {}

  /** Returns the newest pipeline of a commit, null without any. No statement is made for a project without statuses. */
  async newestOf(
    { id: projectId, hasStatuses }: Pick<ProjectRef, 'id' | 'hasStatuses'>,
    sha: string,
  ): Promise<Pipeline | null> {
    if (!hasStatuses) return null;
    const newest = await this.statuses.findNewestPipeline(projectId, sha);
    if (newest === null) return null;
    const status = await this.combined.ofPipeline({ projectId, sha, ref: newest.ref });
    return status && { ...newest, sha, status };
  }

  /**
   * Returns the ref of a commit's pipeline.
   * @throws DomainError not found
   */
  async refOf(projectId: number, sha: string, id: number): Promise<string> {
    const ref = await this.statuses.findRefOfPipeline(projectId, sha, id);
    if (ref === null) throw notFound('pipeline');
    return ref;
  }

  /** Returns the ids of a commit's pipelines on some refs, by these refs. */
  async idsOf(
    projectId: number,
    sha: string,
    refs: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const pipelines = await this.statuses.findPipelineIds(projectId, sha, [...new Set(refs)]);
    return new Map(pipelines.map(({ ref, id }) => [ref, id]));
  }
}
