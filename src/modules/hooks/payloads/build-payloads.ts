import { Injectable } from '@nestjs/common';
import { type Commit, ZERO_OID } from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { ProjectObjects } from '../../projects/index.js';
import { type CombinedState, CommitStatus, storable } from '../../repository/index.js';
import { authorOf } from '../../users/index.js';
import { CommitObjects, MAX_MESSAGE, MAX_NAME } from './commit-object.js';
import { PipelineObjects, seconds, STAGE, type ToldPipeline } from './pipeline-object.js';
import { UserObjects } from './user-object.js';

/** Tells of commit statuses, which are builds to receivers (open points 7.7). */
@Injectable()
export class BuildPayloads {
  constructor(
    private readonly database: Database,
    private readonly pipelines: PipelineObjects,
    private readonly commits: CommitObjects,
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
  ) {}

  /**
   * Null where nothing is left to tell of.
   * @param state what the statuses of the commit and ref come to
   */
  async changed(statusId: number, state: CombinedState | null): Promise<object | null> {
    const status = await this.database.of(CommitStatus).findOneBy({ id: statusId });
    const project = status && (await this.projects.find(status.projectId));
    if (status === null || project === null) return null;
    const pipeline = await this.pipelines.find(project, status);
    const commit = await this.commits.find(project, status.sha);
    const user = authorOf(await this.users.find(status.authorId), status.authorId);
    return {
      object_kind: 'build',
      ref: status.ref,
      tag: pipeline.isTag,
      before_sha: ZERO_OID,
      sha: status.sha,
      build_id: status.id,
      build_name: status.name,
      build_stage: STAGE,
      build_status: status.status,
      build_started_at: status.startedAt,
      build_finished_at: status.finishedAt,
      build_duration: seconds(status.startedAt, status.finishedAt),
      build_allow_failure: status.allowFailure,
      project_id: project.id,
      project_name: `${project.namespaceName} / ${project.name}`,
      user: { id: user.id, name: user.name, email: user.email },
      commit: buildCommit({ sha: status.sha, commit, pipeline, state }),
      repository: this.projects.pushedRepository(project),
    };
  }
}

interface BuiltCommit {
  sha: string;
  /** Null when it is not there any more. */
  commit: Commit | null;
  pipeline: ToldPipeline;
  state: CombinedState | null;
}

const buildCommit = ({ sha, commit, pipeline, state }: BuiltCommit): object => ({
  id: pipeline.id,
  sha,
  message: commit && storable(commit.message, MAX_MESSAGE),
  author_name: commit && storable(commit.author.name, MAX_NAME),
  author_email: commit && storable(commit.author.email, MAX_NAME),
  status: state,
  duration: pipeline.duration,
  started_at: pipeline.startedAt,
  finished_at: pipeline.finishedAt,
});
