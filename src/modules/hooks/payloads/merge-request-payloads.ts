import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { ProjectObjects, type ToldProject } from '../../projects/index.js';
import { LabelLinks } from '../../issuables/index.js';
import {
  requestedOnAccept,
  requestedByAuthor,
  isWorkInProgress,
  MergeRequest,
  type MergeRequestChanged,
  type SourceBranchRemoval,
} from '../../merge-requests/index.js';
import { authorOf } from '../../users/index.js';
import { CommitObjects } from './commit-object.js';
import { labelObject } from './label-object.js';
import { UserObjects } from './user-object.js';

/** A merge request with what its payloads embed. */
export interface ToldMergeRequest {
  mergeRequest: MergeRequest;
  project: ToldProject;
  /** What payloads tell of the request itself. */
  attributes: object;
}

/** What merge requests are told with. */
@Injectable()
export class MergeRequestObjects {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectObjects,
    private readonly commits: CommitObjects,
    private readonly users: UserObjects,
  ) {}

  /** As it is by now; null once it is gone. */
  async find(id: number): Promise<ToldMergeRequest | null> {
    const mergeRequest = await this.database.of(MergeRequest).findOneBy({ id });
    if (mergeRequest === null) return null;
    const project = await this.projects.find(mergeRequest.projectId);
    if (project === null) return null;
    return { mergeRequest, project, attributes: await this.attributes(mergeRequest, project) };
  }

  private async attributes(mergeRequest: MergeRequest, target: ToldProject): Promise<object> {
    const { sourceProjectId, headSha, assigneeId } = mergeRequest;
    const isFork = sourceProjectId !== null && sourceProjectId !== target.id;
    const source = isFork ? await this.projects.find(sourceProjectId) : target;
    const head = headSha === null ? null : await this.commits.find(target, headSha);
    return {
      ...columns(mergeRequest),
      source: sourceProjectId === null || source === null ? null : this.projects.project(source),
      target: this.projects.project(target),
      last_commit: head && this.commits.commit(target, head),
      work_in_progress: isWorkInProgress(mergeRequest.title),
      ...this.users.assignee(await this.users.find(assigneeId), assigneeId),
    };
  }
}

/** Tells of merge requests, to hooks of the project that they are for (open points 7.5). */
@Injectable()
export class MergeRequestPayloads {
  constructor(
    private readonly objects: MergeRequestObjects,
    private readonly labels: LabelLinks,
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
  ) {}

  /** Null where nothing is left to tell of. */
  async changed(event: MergeRequestChanged): Promise<object | null> {
    const told = await this.objects.find(event.mergeRequestId);
    if (told === null) return null;
    const { mergeRequest, project, attributes } = told;
    const { id, iid, assigneeId } = mergeRequest;
    const people = await this.users.find(event.actorId, assigneeId);
    const labels = (await this.labels.labelsOf('MergeRequest', [id])).get(id) ?? [];
    return {
      object_kind: 'merge_request',
      user: this.users.user(authorOf(people, event.actorId)),
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        ...attributes,
        url: this.projects.url(project, 'merge_requests', String(iid)),
        action: event.action,
        ...oldHead(event),
      },
      labels: labels.map(labelObject),
      ...this.users.assignee(people, assigneeId),
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
    assignee_id: mergeRequest.assigneeId,
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

const oldHead = ({ update }: MergeRequestChanged): { oldrev?: string } =>
  update.oldHead === undefined ? {} : { oldrev: update.oldHead };
