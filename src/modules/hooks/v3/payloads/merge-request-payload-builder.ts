import { Injectable } from '@nestjs/common';
import { LabelsRepository } from '../../../issuables/index.js';
import {
  requestedOnAccept,
  requestedByAuthor,
  isWorkInProgress,
  type MergeRequest,
  type MergeRequestChanged,
  type SourceBranchRemoval,
} from '../../../merge-requests/index.js';
import { type PayloadProject } from '../../../projects/index.js';
import { ProjectPayloadBuilder } from '../../../projects/v3/index.js';
import { authorOf } from '../../../users/index.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import { SharedObjects } from './shared-objects.js';

/** A merge request with what its payloads embed. */
interface PayloadMergeRequest {
  mergeRequest: MergeRequest;
  /** The target project. */
  project: PayloadProject;
  /** The attributes that payloads of merge requests and of notes have in common. */
  attributes: UnreadAttributes;
}

/** The attributes before git was asked for the commit, which no transaction may wait for. */
export interface UnreadAttributes {
  readonly [name: string]: unknown;
  readonly last_commit: { readonly id: string } | null;
}

/**
 * Builds the payloads of merge requests, which go to the hooks of the target project. See
 * docs/reference/hooks.md#merge-requests.
 */
@Injectable()
export class MergeRequestPayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly labels: LabelsRepository,
    private readonly projects: ProjectPayloadBuilder,
    private readonly objects: SharedObjects,
  ) {}

  /** Builds a payload that has only the ID of its commit. Null when the merge request or its project no longer exists. */
  async buildMergeRequest(event: MergeRequestChanged): Promise<object | null> {
    const found = await this.find(event.mergeRequestId);
    if (found === null) return null;
    const { mergeRequest, project, attributes } = found;
    const { id, iid } = mergeRequest;
    const [assigneeId = null] = mergeRequest.assigneeIds;
    const users = await this.objects.findUsers(event.actorId, assigneeId);
    const labels = (await this.labels.labelsOf('MergeRequest', [id])).get(id) ?? [];
    return {
      object_kind: 'merge_request',
      user: this.objects.user(authorOf(users, event.actorId)),
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        ...attributes,
        url: this.projects.url(project, 'merge_requests', String(iid)),
        action: event.action,
        ...oldRevision(event),
      },
      labels: labels.map((label) => this.objects.label(label)),
      ...this.objects.assignee(users, assigneeId),
    };
  }

  /** Adds the commit to a payload of `buildMergeRequest`. */
  async addCommit(payload: object, projectId: number | null): Promise<object> {
    const { object_attributes: attributes } = payload as { object_attributes: UnreadAttributes };
    return { ...payload, object_attributes: await this.completeAttributes(attributes, projectId) };
  }

  /** Adds the commit to the attributes of `find`. */
  async completeAttributes(
    attributes: UnreadAttributes,
    projectId: number | null,
  ): Promise<object> {
    const commit = await this.objects.completeCommit(attributes.last_commit, projectId);
    return { ...attributes, last_commit: commit };
  }

  /** The merge request as it is now; null when it or its project no longer exists. */
  async find(id: number): Promise<PayloadMergeRequest | null> {
    const mergeRequest = await this.payloads.findMergeRequest(id);
    const project = mergeRequest && (await this.projects.find(mergeRequest.projectId));
    if (mergeRequest === null || project === null) return null;
    return { mergeRequest, project, attributes: await this.attributes(mergeRequest, project) };
  }

  private async attributes(
    mergeRequest: MergeRequest,
    target: PayloadProject,
  ): Promise<UnreadAttributes> {
    const { sourceProjectId, headSha } = mergeRequest;
    const [assigneeId = null] = mergeRequest.assigneeIds;
    const isFork = sourceProjectId !== null && sourceProjectId !== target.id;
    const source = isFork ? await this.projects.find(sourceProjectId) : target;
    return {
      ...columns(mergeRequest),
      source: sourceProjectId === null || source === null ? null : this.projects.project(source),
      target: this.projects.project(target),
      last_commit: headSha === null ? null : { id: headSha },
      work_in_progress: isWorkInProgress(mergeRequest.title),
      ...this.objects.assignee(await this.objects.findUsers(assigneeId), assigneeId),
    };
  }
}

function columns(mergeRequest: MergeRequest): object {
  return {
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    target_branch: mergeRequest.targetBranch,
    source_branch: mergeRequest.sourceBranch,
    source_project_id: mergeRequest.sourceProjectId,
    target_project_id: mergeRequest.projectId,
    author_id: mergeRequest.authorId,
    assignee_id: mergeRequest.assigneeIds[0] ?? null,
    title: mergeRequest.title,
    description: mergeRequest.description,
    created_at: mergeRequest.createdAt,
    updated_at: mergeRequest.updatedAt,
    milestone_id: mergeRequest.milestoneId,
    state: mergeRequest.state,
    merge_status: mergeRequest.mergeStatus,
    merge_error: null,
    merge_params: mergeParams(mergeRequest),
    merge_when_build_succeeds: mergeRequest.mergeWhenBuildSucceeds,
    merge_user_id: mergeRequest.mergeUserId,
    merge_commit_sha: mergeRequest.mergeCommitSha,
    position: 0,
    locked_at: null,
    updated_by_id: mergeRequest.updatedById,
    deleted_at: null,
    lock_version: 0,
  };
}

/** Formats the flags as `"1"` or `"0"`: GitLab sent form values, and receivers declare strings. */
function mergeParams(mergeRequest: MergeRequest): object {
  const accepted = flag(requestedOnAccept(mergeRequest));
  return {
    force_remove_source_branch: flag(requestedByAuthor(mergeRequest)),
    ...(accepted === null ? {} : { should_remove_source_branch: accepted }),
  };
}

const flag = (removal: SourceBranchRemoval): '1' | '0' | null =>
  removal === null ? null : removal ? '1' : '0';

const oldRevision = ({ update }: MergeRequestChanged): { oldrev?: string } =>
  update.oldHead === undefined ? {} : { oldrev: update.oldHead };
