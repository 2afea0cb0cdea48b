import { Injectable } from '@nestjs/common';
import { type Label, LabelsRepository } from '../../../issuables/index.js';
import { presentTime } from '../../../issuables/v4/index.js';
import {
  DetailedStatuses,
  isWorkInProgress,
  type MergeRequest,
  type MergeRequestChanged,
  type MergeOutlook,
  requestedByAuthor,
  requestedOnAccept,
} from '../../../merge-requests/index.js';
import { presentDetailedStatus } from '../../../merge-requests/v4/index.js';
import type { PayloadProject } from '../../../projects/index.js';
import { authorOf, type User } from '../../../users/index.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import {
  comparedValues,
  differences,
  type FieldChanges,
  firstValues,
  labelChanges,
  peopleChanges,
  stateChanges,
  stateId,
} from './changes.js';
import { formatTime, V4SharedObjects } from './shared-objects.js';

/** A merge request with what its attributes show. */
interface PayloadMergeRequest {
  readonly mergeRequest: MergeRequest;
  readonly labels: readonly Label[];
  readonly attributes: V4UnreadAttributes;
}

/** The attributes before git was asked for the commit, which no transaction may wait for. */
export interface V4UnreadAttributes {
  readonly [name: string]: unknown;
  readonly target_project_id: number;
  readonly last_commit: { readonly id: string } | null;
}

/** Builds the payloads of merge requests. See docs/reference/v4-hooks.md#merge-requests. */
@Injectable()
export class V4MergeRequestPayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly labels: LabelsRepository,
    private readonly statuses: DetailedStatuses,
    private readonly objects: V4SharedObjects,
  ) {}

  /** Builds a payload that has only the ID of its commit. Null when the merge request or its project no longer exists. */
  async buildMergeRequest(event: MergeRequestChanged): Promise<object | null> {
    const { projectId, mergeRequestId, actorId, action, update } = event;
    const project = await this.objects.findProject(projectId);
    const row = project && (await this.payloads.findMergeRequest(mergeRequestId));
    if (project === null || row === null) return null;
    const { before } = update;
    const users = await this.objects.findUsers([
      actorId,
      ...peopleOf(row),
      ...(before === undefined ? [] : peopleOf(before)),
    ]);
    const { mergeRequest, labels, attributes } = await this.describe(
      row,
      project,
      authorOf(users, actorId),
    );
    const people = (ids: readonly number[]): object[] => this.objects.people(users, ids);
    const { assigneeIds, reviewerIds } = mergeRequest;
    return {
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: this.objects.author(users, actorId),
      project: this.objects.project(project),
      object_attributes: {
        ...attributes,
        action,
        ...(update.oldHead === undefined ? {} : { oldrev: update.oldHead }),
      },
      labels: labels.map((label) => this.objects.label(label)),
      changes: {
        ...changesOf(event, mergeRequest),
        ...peopleChanges('assignees', before?.assigneeIds, assigneeIds, people),
        ...peopleChanges('reviewers', before?.reviewerIds, reviewerIds, people),
        ...labelChanges(labels, update.labels, this.objects),
      },
      repository: this.objects.repository(project),
      assignees: people(assigneeIds),
      reviewers: people(reviewerIds),
    };
  }

  /** The merge request as it is now; null when it no longer exists. @param reader for whom it is described */
  async find(
    id: number,
    project: PayloadProject,
    reader: User,
  ): Promise<PayloadMergeRequest | null> {
    const mergeRequest = await this.payloads.findMergeRequest(id);
    return mergeRequest && this.describe(mergeRequest, project, reader);
  }

  /** Adds the commit to the attributes of `find`. @param readsGit whether git may be asked */
  async completeAttributes(attributes: V4UnreadAttributes, readsGit: boolean): Promise<object> {
    const { last_commit: unread, target_project_id: projectId } = attributes;
    const commit = readsGit && unread ? await this.objects.findCommit(projectId, unread.id) : null;
    return { ...attributes, last_commit: commit };
  }

  private async describe(
    mergeRequest: MergeRequest,
    target: PayloadProject,
    reader: User,
  ): Promise<PayloadMergeRequest> {
    const { id, sourceProjectId, sourceBranch: ref, headSha: sha } = mergeRequest;
    const located = { ...mergeRequest, projectPath: target.fullPath };
    const outlook = (await this.statuses.find([located], reader)).get(id);
    const labels = (await this.labels.labelsOf('MergeRequest', [id])).get(id) ?? [];
    const isFork = sourceProjectId !== null && sourceProjectId !== target.id;
    const source = isFork ? await this.objects.findProject(sourceProjectId) : target;
    const pipelineId =
      sourceProjectId === null || sha === null
        ? null
        : (await this.payloads.findPipeline({ projectId: sourceProjectId, sha, ref })).id;
    return {
      mergeRequest,
      labels,
      attributes: {
        ...columns(mergeRequest, outlook),
        target_project_id: target.id,
        url: this.objects.url(target, 'merge_requests', String(mergeRequest.iid)),
        head_pipeline_id: pipelineId,
        source: sourceProjectId === null || source === null ? null : this.objects.project(source),
        target: this.objects.project(target),
        last_commit: sha === null ? null : { id: sha },
        labels: labels.map((label) => this.objects.label(label)),
      },
    };
  }
}

const peopleOf = ({
  assigneeIds,
  reviewerIds,
}: Pick<MergeRequest, 'assigneeIds' | 'reviewerIds'>): number[] => [...assigneeIds, ...reviewerIds];

function columns(mergeRequest: MergeRequest, outlook: MergeOutlook | undefined): object {
  const { state } = mergeRequest;
  const isDraft = isWorkInProgress(mergeRequest.title);
  return {
    assignee_id: mergeRequest.assigneeIds[0] ?? null,
    author_id: mergeRequest.authorId,
    created_at: formatTime(mergeRequest.createdAt),
    description: mergeRequest.description,
    draft: isDraft,
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    last_edited_at: null,
    last_edited_by_id: null,
    merge_commit_sha: mergeRequest.mergeCommitSha,
    merge_error: null,
    merge_params: {
      force_remove_source_branch: requestedByAuthor(mergeRequest),
      should_remove_source_branch: requestedOnAccept(mergeRequest),
    },
    merge_status: mergeRequest.mergeStatus,
    merge_user_id: mergeRequest.mergeUserId,
    merge_when_pipeline_succeeds: mergeRequest.mergeWhenBuildSucceeds,
    milestone_id: mergeRequest.milestoneId,
    source_branch: mergeRequest.sourceBranch,
    source_project_id: mergeRequest.sourceProjectId,
    state_id: stateId(state),
    target_branch: mergeRequest.targetBranch,
    title: mergeRequest.title,
    updated_at: formatTime(mergeRequest.updatedAt),
    updated_by_id: mergeRequest.updatedById,
    prepared_at: formatTime(mergeRequest.createdAt),
    squash: mergeRequest.squash,
    work_in_progress: isDraft,
    ...presentTime(mergeRequest),
    time_change: 0,
    human_time_change: null,
    assignee_ids: mergeRequest.assigneeIds,
    reviewer_ids: mergeRequest.reviewerIds,
    state: state === 'reopened' ? 'opened' : state,
    blocking_discussions_resolved: outlook?.awaitsResolution !== true,
    first_contribution: false,
    detailed_merge_status: presentDetailedStatus(outlook),
  };
}

function changesOf(
  { action, update: { before } }: MergeRequestChanged,
  mergeRequest: MergeRequest,
): FieldChanges {
  if (action === 'open') {
    const { id, iid, authorId, title, description, createdAt, updatedAt } = mergeRequest;
    return firstValues({
      author_id: authorId,
      created_at: formatTime(createdAt),
      description,
      draft: isWorkInProgress(title),
      id,
      iid,
      source_branch: mergeRequest.sourceBranch,
      source_project_id: mergeRequest.sourceProjectId,
      target_branch: mergeRequest.targetBranch,
      target_project_id: mergeRequest.projectId,
      title,
      updated_at: formatTime(updatedAt),
    });
  }
  if (before === undefined) return stateChanges(action);
  return differences(valuesOf(before), valuesOf(mergeRequest));
}

const valuesOf = (mergeRequest: Omit<MergeRequest, 'deletedAt'>): object => ({
  ...comparedValues(mergeRequest),
  draft: isWorkInProgress(mergeRequest.title),
  target_branch: mergeRequest.targetBranch,
});
