import { Injectable } from '@nestjs/common';
import { ZERO_OID } from '../../../git/index.js';
import { ProjectObjects } from '../../projects/index.js';
import type { CommitStatus, CommitStatusChanged } from '../../repository/index.js';
import { authorOf, type User } from '../../users/index.js';
import { CommitObjects } from './commit-object.js';
import { PipelineObjects, STAGE } from './pipeline-object.js';
import { UserObjects } from './user-object.js';

/** Tells of what the statuses of a commit come to (open points 7.7). */
@Injectable()
export class PipelinePayloads {
  constructor(
    private readonly pipelines: PipelineObjects,
    private readonly commits: CommitObjects,
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
  ) {}

  /** Null where nothing is left to tell of. */
  async changed(event: CommitStatusChanged): Promise<object | null> {
    const { projectId, sha, ref, change, combined } = event;
    const project = await this.projects.find(projectId);
    if (project === null) return null;
    const pipeline = await this.pipelines.find(project, event);
    const builds = await this.pipelines.builds(event);
    const commit = await this.commits.find(project, sha);
    const people = await this.users.find(
      ...new Set([change.userId, ...builds.map(({ authorId }) => authorId)]),
    );
    return {
      object_kind: 'pipeline',
      object_attributes: {
        id: pipeline.id,
        ref,
        tag: pipeline.isTag,
        sha,
        before_sha: ZERO_OID,
        status: combined.to,
        stages: [STAGE],
        created_at: pipeline.createdAt,
        finished_at: pipeline.finishedAt,
        duration: pipeline.duration,
      },
      user: this.users.user(authorOf(people, change.userId)),
      project: this.projects.briefProject(project),
      commit: commit && this.commits.commit(project, commit),
      builds: builds.map((build) => this.build(build, authorOf(people, build.authorId))),
    };
  }

  private build(status: CommitStatus, author: User): object {
    return {
      id: status.id,
      stage: STAGE,
      name: status.name,
      status: status.status,
      created_at: status.createdAt,
      started_at: status.startedAt,
      finished_at: status.finishedAt,
      when: 'on_success',
      manual: false,
      user: this.users.user(author),
      runner: null,
      artifacts_file: { filename: null, size: null },
    };
  }
}
