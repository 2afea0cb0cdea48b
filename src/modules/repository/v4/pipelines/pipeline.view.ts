import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../../authorization/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../../users/v4/index.js';
import { ZERO_OID } from '../../../../git/index.js';
import type { AuthoredStatus } from '../../commits/statuses/commit-statuses.service.js';
import type { PipelineDetails, PipelineJobs } from '../../commits/statuses/pipelines.js';
import { type CombinedState, STAGE } from '../../commits/statuses/status.rules.js';
import { V4CommitPresenter } from '../commits/commit.presenter.js';
import { V4CommitView, V4PipelineView } from '../commits/commit.view.js';

/** The state of a pipeline as pages show it. */
export class V4DetailedPipelineStatusView {
  icon!: string;
  text!: string;
  label!: string;
  group!: string;
  tooltip!: string;
  /** Always false. */
  has_details!: boolean;
  /** Always null. */
  details_path!: string | null;
}

/** A pipeline by itself. */
export class V4PipelineDetailView extends V4PipelineView {
  /** Always zeros: it is not stored. */
  before_sha!: string;
  /** Whether `ref` is a tag. */
  tag!: boolean;
  /** Always null. */
  yaml_errors!: string | null;
  /** The author of the first status. */
  user!: V4UserBasicView;
  /** When the first of the newest statuses of each name started. */
  started_at!: Date | null;
  /** When the last of them ended; null while one has not. */
  finished_at!: Date | null;
  /** Always null. */
  committed_at!: Date | null;
  /** Seconds from `started_at` to `finished_at`. */
  duration!: number | null;
  /** Always null. */
  queued_duration!: number | null;
  /** The average of its newest statuses of each name, in percent with two decimals; null without any. */
  coverage!: string | null;
  detailed_status!: V4DetailedPipelineStatusView;
}

/** A status as a job of its pipeline. */
export class V4JobView {
  id!: number;
  /** `pending`, `running`, `success`, `failed`, `canceled` or `skipped`. */
  status!: string;
  /** Always `external`. */
  stage!: string;
  name!: string;
  ref!: string;
  /** Whether `ref` is a tag. */
  tag!: boolean;
  /** In percent. */
  coverage!: number | null;
  allow_failure!: boolean;
  created_at!: Date;
  started_at!: Date | null;
  finished_at!: Date | null;
  /** Always null. */
  erased_at!: Date | null;
  /** Seconds from `started_at` to `finished_at`. */
  duration!: number | null;
  /** Always null. */
  queued_duration!: number | null;
  /** Its author. */
  user!: V4UserBasicView;
  /** Null for callers who may not read code. */
  commit!: V4CommitView | null;
  pipeline!: V4PipelineView;
  /** Its `target_url`, or the page of the commit. */
  web_url!: string;
  /** Always empty. */
  artifacts!: object[];
  /** Always null. */
  runner!: object | null;
  /** Always null. */
  artifacts_expire_at!: Date | null;
  /** Always false. */
  archived!: boolean;
  /** Always empty. */
  tag_list!: string[];
}

/** The words of each state: the text and the label, and the icon where it is called otherwise. */
const WORDS: Readonly<Record<CombinedState, readonly [text: string, label: string]>> = {
  pending: ['Pending', 'pending'],
  running: ['Running', 'running'],
  success: ['Passed', 'passed'],
  failed: ['Failed', 'failed'],
  canceled: ['Canceled', 'canceled'],
  skipped: ['Skipped', 'skipped'],
};

@Injectable()
export class V4PipelinePresenter {
  constructor(
    private readonly commits: V4CommitPresenter,
    private readonly users: V4UserPresenter,
  ) {}

  detail(project: ProjectRef, pipeline: PipelineDetails): V4PipelineDetailView {
    const { startedAt, finishedAt, status } = pipeline;
    const [text, label] = WORDS[status];
    return {
      ...this.commits.pipeline(project, pipeline),
      before_sha: ZERO_OID,
      tag: pipeline.isTag,
      yaml_errors: null,
      user: this.users.basic(pipeline.user),
      started_at: startedAt,
      finished_at: finishedAt,
      committed_at: null,
      duration: secondsBetween(startedAt, finishedAt),
      queued_duration: null,
      coverage: pipeline.coverage,
      detailed_status: {
        icon: `status_${status}`,
        text,
        label,
        group: status,
        tooltip: label,
        has_details: false,
        details_path: null,
      },
    };
  }

  jobs(project: ProjectRef, { pipeline, isTag, commit, jobs }: PipelineJobs) {
    const shared = {
      tag: isTag,
      commit: commit && this.commits.basic(project, commit),
      pipeline: this.commits.pipeline(project, pipeline),
    };
    return jobs.items.map((job) => this.job(project, job, shared));
  }

  private job(
    project: ProjectRef,
    { status, author }: AuthoredStatus,
    { tag, commit, pipeline }: Pick<V4JobView, 'tag' | 'commit' | 'pipeline'>,
  ): V4JobView {
    return {
      id: status.id,
      status: status.status,
      stage: STAGE,
      name: status.name,
      ref: status.ref,
      tag,
      coverage: status.coverage,
      allow_failure: status.allowFailure,
      created_at: status.createdAt,
      started_at: status.startedAt,
      finished_at: status.finishedAt,
      erased_at: null,
      duration: secondsBetween(status.startedAt, status.finishedAt),
      queued_duration: null,
      user: this.users.basic(author),
      commit,
      pipeline,
      web_url: status.targetUrl ?? this.commits.page(project, 'commit', status.sha),
      artifacts: [],
      runner: null,
      artifacts_expire_at: null,
      archived: false,
      tag_list: [],
    };
  }
}

const secondsBetween = (start: Date | null, end: Date | null): number | null =>
  start === null || end === null ? null : Math.max(0, (end.getTime() - start.getTime()) / 1000);
