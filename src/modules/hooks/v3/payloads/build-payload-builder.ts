import { Injectable } from '@nestjs/common';
import { type Commit, ZERO_OID } from '../../../../git/index.js';
import { ProjectPayloadBuilder } from '../../../projects/v3/index.js';
import {
  type CombinedState,
  type CommitStatus,
  type CommitStatusChanged,
  MAX_PAYLOAD_IDENTITY,
  MAX_PAYLOAD_MESSAGE,
  type PipelineKey,
  STAGE,
  storable,
} from '../../../repository/index.js';
import { authorOf, type User } from '../../../users/index.js';
import { PayloadCommits } from '../../payloads/payload-commits.js';
import { PayloadsRepository, type PipelineTimes } from '../../payloads/payloads.repository.js';
import { SharedObjects } from './shared-objects.js';

interface Pipeline extends PipelineTimes {
  /** Whole seconds from the first start to the last end; null while one is unknown. */
  duration: number | null;
}

/** What a payload lacks until git is asked, which no transaction may wait for. */
interface UnreadBuild {
  readonly ref: string;
  readonly sha: string;
  readonly commit: object;
}

/** The same of a pipeline. */
interface UnreadPipeline {
  readonly object_attributes: { readonly ref: string; readonly sha: string };
  readonly commit: { readonly id: string };
}

/**
 * Builds the payloads of commit statuses: each is a build, and those of one commit on one ref are a
 * pipeline. See docs/reference/hooks.md#builds and docs/reference/hooks.md#pipelines.
 */
@Injectable()
export class BuildPayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly commits: PayloadCommits,
    private readonly projects: ProjectPayloadBuilder,
    private readonly objects: SharedObjects,
  ) {}

  /**
   * Builds a payload without what git knows. Null when status or project no longer exist.
   * @param pipelineState the combined state of the statuses of its commit and ref
   */
  async buildCommitStatus(
    statusId: number,
    pipelineState: CombinedState | null,
  ): Promise<object | null> {
    const status = await this.payloads.findCommitStatus(statusId);
    const project = status && (await this.projects.find(status.projectId));
    if (status === null || project === null) return null;
    const pipeline = await this.findPipeline(status);
    const user = authorOf(await this.objects.findUsers(status.authorId), status.authorId);
    return {
      object_kind: 'build',
      ref: status.ref,
      tag: false,
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
      commit: {
        id: pipeline.id,
        sha: status.sha,
        ...commitTexts(null),
        status: pipelineState,
        duration: pipeline.duration,
        started_at: pipeline.startedAt,
        finished_at: pipeline.finishedAt,
      },
      repository: this.projects.repositoryWithCloneUrls(project),
    };
  }

  /** Adds what git knows to a payload of `buildCommitStatus`. */
  async addCommitToBuild(payload: object, projectId: number | null): Promise<object> {
    const { ref, sha, commit: unread } = payload as UnreadBuild;
    const project = projectId === null ? null : await this.projects.find(projectId);
    if (project === null) return payload;
    const tag = await this.commits.isTag(project, ref);
    const commit = await this.commits.find(project, sha);
    return { ...payload, tag, commit: { ...unread, ...commitTexts(commit) } };
  }

  /** Adds what git knows to a payload of `buildPipeline`. */
  async addCommitToPipeline(payload: object, projectId: number | null): Promise<object> {
    const { object_attributes: attributes, commit: unread } = payload as UnreadPipeline;
    const project = projectId === null ? null : await this.projects.find(projectId);
    const tag = project !== null && (await this.commits.isTag(project, attributes.ref));
    const commit = await this.objects.completeCommit(unread, projectId);
    return { ...payload, object_attributes: { ...attributes, tag }, commit };
  }

  /** Builds a payload without what git knows. Null when the project no longer exists. */
  async buildPipeline(event: CommitStatusChanged): Promise<object | null> {
    const { projectId, sha, ref, change, combined } = event;
    const project = await this.projects.find(projectId);
    if (project === null) return null;
    const pipeline = await this.findPipeline(event);
    const builds = await this.payloads.findBuilds(event);
    const users = await this.objects.findUsers(
      ...new Set([change.userId, ...builds.map(({ authorId }) => authorId)]),
    );
    return {
      object_kind: 'pipeline',
      object_attributes: {
        id: pipeline.id,
        ref,
        tag: false,
        sha,
        before_sha: ZERO_OID,
        status: combined.to,
        stages: [STAGE],
        created_at: pipeline.createdAt,
        finished_at: pipeline.finishedAt,
        duration: pipeline.duration,
      },
      user: this.objects.user(authorOf(users, change.userId)),
      project: this.projects.briefProject(project),
      commit: { id: sha },
      builds: builds.map((build) => this.build(build, authorOf(users, build.authorId))),
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
      user: this.objects.user(author),
      runner: null,
      artifacts_file: { filename: null, size: null },
    };
  }

  private async findPipeline(key: PipelineKey): Promise<Pipeline> {
    const times = await this.payloads.findPipeline(key);
    const exact = seconds(times.startedAt, times.finishedAt);
    // Receivers declare an integer.
    const duration = exact === null ? null : Math.trunc(exact);
    return { ...times, duration };
  }
}

/** @param commit null when it no longer exists */
const commitTexts = (commit: Commit | null): object => ({
  message: commit && storable(commit.message, MAX_PAYLOAD_MESSAGE),
  author_name: commit && storable(commit.author.name, MAX_PAYLOAD_IDENTITY),
  author_email: commit && storable(commit.author.email, MAX_PAYLOAD_IDENTITY),
});

/** The seconds between two moments, with a fraction; null when one is unknown. */
export function seconds(from: Date | null, to: Date | null): number | null {
  return from === null || to === null ? null : (to.getTime() - from.getTime()) / 1_000;
}
