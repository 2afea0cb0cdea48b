import { Injectable } from '@nestjs/common';
import { type CommitStatus, CommitStatusChanged, Pipelines } from '../../repository/index.js';
import { BuildPayloads } from '../payloads/build-payloads.js';
import { PipelinePayloads } from '../payloads/pipeline-payloads.js';
import { NewestThings } from './newest-things.js';

/** Tells of the newest commit status of a project as if it had just been posted. */
@Injectable()
export class BuildSamples {
  constructor(
    private readonly newest: NewestThings,
    private readonly pipelines: Pipelines,
    private readonly builds: BuildPayloads,
    private readonly pipelinePayloads: PipelinePayloads,
  ) {}

  async build(projectId: number): Promise<object | null> {
    const status = await this.newest.commitStatus(projectId);
    return status && this.builds.changed(status.id, await this.pipelines.state(status));
  }

  /** @param userId whose doing it is said to be */
  async pipeline(projectId: number, userId: number): Promise<object | null> {
    const status = await this.newest.commitStatus(projectId);
    return status && this.pipelinePayloads.changed(await this.posted(status, userId));
  }

  private async posted(status: CommitStatus, userId: number): Promise<CommitStatusChanged> {
    const { projectId, sha, ref, id: statusId, name, status: to } = status;
    const change = { statusId, name, from: null, to, follows: null, userId };
    const combined = { from: null, to: await this.pipelines.state(status) };
    return new CommitStatusChanged(projectId, sha, ref, change, combined);
  }
}
