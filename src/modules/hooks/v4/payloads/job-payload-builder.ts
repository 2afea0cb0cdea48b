import { Injectable } from '@nestjs/common';
import { ZERO_OID } from '../../../../git/index.js';
import type { PayloadProject } from '../../../projects/index.js';
import {
  type CombinedState,
  type CommitStatus,
  type CommitStatusChanged,
  describeCommit,
  type PipelineKey,
  STAGE,
} from '../../../repository/index.js';
import { PayloadCommits } from '../../payloads/payload-commits.js';
import { PayloadsRepository, type PipelineTimes } from '../../payloads/payloads.repository.js';
import { formatTime, formatTimeOrNull, V4SharedObjects } from './shared-objects.js';

/** What a payload lacks until git is asked, which no transaction may wait for. */
interface UnreadJob {
  readonly project_id: number;
  readonly ref: string;
  readonly sha: string;
  readonly commit: object;
}

/** The same of a pipeline. */
interface UnreadPipeline {
  readonly project: { readonly id: number };
  readonly object_attributes: { readonly ref: string; readonly sha: string };
}

/**
 * Builds the payloads of commit statuses: each is a job, and those of one commit on one ref are a pipeline. See
 * docs/reference/v4-hooks.md#jobs and docs/reference/v4-hooks.md#pipelines.
 */
@Injectable()
export class V4JobPayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly commits: PayloadCommits,
    private readonly objects: V4SharedObjects,
  ) {}

  /** Builds a payload without what git knows. Null when status or project no longer exist. */
  async buildJob(statusId: number, pipelineState: CombinedState | null): Promise<object | null> {
    const status = await this.payloads.findCommitStatus(statusId);
    const project = status && (await this.objects.findProject(status.projectId));
    if (status === null || project === null) return null;
    const pipeline = await this.payloads.findPipeline(status);
    const users = await this.objects.findUsers([status.authorId]);
    return {
      object_kind: 'build',
      ref: status.ref,
      tag: false,
      before_sha: ZERO_OID,
      sha: status.sha,
      retries_count: 0,
      build_id: status.id,
      build_name: status.name,
      build_stage: STAGE,
      build_status: status.status,
      build_created_at: formatTime(status.createdAt),
      build_started_at: formatTimeOrNull(status.startedAt),
      build_finished_at: formatTimeOrNull(status.finishedAt),
      build_duration: seconds(status.startedAt, status.finishedAt),
      build_queued_duration: seconds(status.createdAt, status.startedAt),
      build_allow_failure: status.allowFailure,
      build_failure_reason: failureReason(status),
      pipeline_id: pipeline.id,
      runner: null,
      project_id: project.id,
      project_name: `${project.namespaceName} / ${project.name}`,
      user: this.objects.author(users, status.authorId),
      commit: {
        id: pipeline.id,
        name: null,
        sha: status.sha,
        message: null,
        author_name: null,
        author_email: null,
        author_url: null,
        status: pipelineState,
        duration: wholeSeconds(pipeline),
        started_at: formatTimeOrNull(pipeline.startedAt),
        finished_at: formatTimeOrNull(pipeline.finishedAt),
      },
      repository: this.objects.repositoryWithCloneUrls(project),
      project: this.objects.project(project),
      environment: null,
      source_pipeline: null,
    };
  }

  /** Adds what git knows to a payload of `buildJob`. */
  async addCommitToJob(payload: object): Promise<object> {
    const { project_id: projectId, ref, sha, commit: unread } = payload as UnreadJob;
    const project = await this.objects.findProject(projectId);
    if (project === null) return payload;
    const commit = await this.commits.find(project, sha);
    const described = commit && describeCommit(commit);
    const texts = described && {
      message: described.message,
      author_name: described.author.name,
      author_email: described.author.email,
    };
    return {
      ...payload,
      tag: await this.commits.isTag(project, ref),
      commit: { ...unread, ...texts },
    };
  }

  /** Builds a payload without what git knows. Null when the project no longer exists. */
  async buildPipeline(event: CommitStatusChanged): Promise<object | null> {
    const { projectId, sha, ref, change, combined } = event;
    const project = await this.objects.findProject(projectId);
    if (project === null) return null;
    const pipeline = await this.payloads.findPipeline(event);
    const builds = await this.payloads.findBuilds(event);
    const users = await this.objects.findUsers([
      change.userId,
      ...builds.map(({ authorId }) => authorId),
    ]);
    return {
      object_kind: 'pipeline',
      object_attributes: {
        id: pipeline.id,
        iid: pipeline.id,
        name: null,
        ref,
        tag: false,
        sha,
        before_sha: ZERO_OID,
        source: 'external',
        status: combined.to,
        detailed_status: combined.to === 'success' ? 'passed' : combined.to,
        stages: [STAGE],
        created_at: formatTime(pipeline.createdAt),
        finished_at: formatTimeOrNull(pipeline.finishedAt),
        duration: wholeSeconds(pipeline),
        queued_duration: null,
        variables: [],
        url: this.pipelineUrl(project, { projectId, sha, ref }, builds),
      },
      merge_request: null,
      user: this.objects.author(users, change.userId),
      project: this.objects.project(project),
      commit: { id: sha },
      builds: builds.map((build) => ({
        id: build.id,
        stage: STAGE,
        name: build.name,
        status: build.status,
        created_at: formatTime(build.createdAt),
        started_at: formatTimeOrNull(build.startedAt),
        finished_at: formatTimeOrNull(build.finishedAt),
        duration: seconds(build.startedAt, build.finishedAt),
        queued_duration: seconds(build.createdAt, build.startedAt),
        failure_reason: failureReason(build),
        when: 'on_success',
        manual: false,
        allow_failure: build.allowFailure,
        user: this.objects.author(users, build.authorId),
        runner: null,
        artifacts_file: { filename: null, size: null },
        environment: null,
      })),
    };
  }

  /** Adds what git knows to a payload of `buildPipeline`; the commit is null where git may not be asked. */
  async addCommitToPipeline(payload: object, readsGit: boolean): Promise<object> {
    const { project: shown, object_attributes: attributes } = payload as UnreadPipeline;
    const project = readsGit ? await this.objects.findProject(shown.id) : null;
    if (project === null) return { ...payload, commit: null };
    const tag = await this.commits.isTag(project, attributes.ref);
    const commit = await this.objects.findCommit(shown.id, attributes.sha);
    return { ...payload, object_attributes: { ...attributes, tag }, commit };
  }

  /** The address of the first status that has one, or of the commit. */
  private pipelineUrl(
    project: PayloadProject,
    { sha }: PipelineKey,
    builds: readonly CommitStatus[],
  ): string {
    const first = builds.find(({ targetUrl }) => targetUrl !== null);
    return first?.targetUrl ?? this.objects.url(project, 'commit', sha);
  }
}

const failureReason = ({ status }: CommitStatus): string | null =>
  status === 'failed' ? 'unknown_failure' : null;

/** The seconds between two moments, with a fraction; null when one is unknown. */
const seconds = (from: Date | null, to: Date | null): number | null =>
  from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime()) / 1_000;

/** Receivers declare an integer. */
function wholeSeconds({ startedAt, finishedAt }: PipelineTimes): number | null {
  const exact = seconds(startedAt, finishedAt);
  return exact === null ? null : Math.trunc(exact);
}
