import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import {
  type IssuablePresenter,
  MilestoneView,
  presentMilestone,
  PresentsIssuables,
} from '../../issuables/v3/index.js';
import { summarizeUser, UserSummaryView } from '../../users/v3/index.js';
import { isWorkInProgress } from '../model/merge-request.entity.js';
import type { MergeRequestWithRelations } from '../model/merge-requests.repository.js';

/** A merge request (docs/reference/merge-requests.md#the-merge-request-object). */
export class MergeRequestView {
  id!: number;
  /** Number within the target project. */
  iid!: number;
  /** The target project. */
  project_id!: number;
  title!: string;
  description!: string | null;
  /** `opened`, `reopened`, `closed` or `merged`. */
  state!: string;
  created_at!: Date;
  updated_at!: Date;
  target_branch!: string;
  source_branch!: string;
  upvotes!: number;
  downvotes!: number;
  author!: UserSummaryView;
  /** The first one. */
  assignee!: UserSummaryView | null;
  /** Null once it is deleted. */
  source_project_id!: number | null;
  target_project_id!: number;
  /** Names, in alphabetical order. */
  labels!: string[];
  /** Whether the title marks it as work in progress; it cannot be accepted then. */
  work_in_progress!: boolean;
  milestone!: MilestoneView | null;
  merge_when_build_succeeds!: boolean;
  /** `unchecked`, `can_be_merged` or `cannot_be_merged`. */
  merge_status!: string;
  /** Head of the newest version. */
  sha!: string | null;
  merge_commit_sha!: string | null;
  /** Whether the caller is subscribed. */
  subscribed!: boolean;
  /** Without system notes. */
  user_notes_count!: number;
  /** Sent by the user who accepted it to be merged when the build succeeds. */
  should_remove_source_branch!: boolean;
  /** Sent by the user who created or last updated it. */
  force_remove_source_branch!: boolean;
  web_url!: string;
}

export function presentMergeRequest(
  { issuable: request, labels, milestone, author, assignees, counters }: MergeRequestWithRelations,
  urls: Urls,
): MergeRequestView {
  const { iid, projectPath } = request;
  return {
    id: request.id,
    iid,
    project_id: request.projectId,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: request.createdAt,
    updated_at: request.updatedAt,
    target_branch: request.targetBranch,
    source_branch: request.sourceBranch,
    upvotes: counters.upvotes,
    downvotes: counters.downvotes,
    author: summarizeUser(author, urls),
    assignee: assignees[0] === undefined ? null : summarizeUser(assignees[0], urls),
    source_project_id: request.sourceProjectId,
    target_project_id: request.projectId,
    labels: labels.map(({ name }) => name),
    work_in_progress: isWorkInProgress(request.title),
    milestone: milestone && presentMilestone(milestone),
    merge_when_build_succeeds: request.mergeWhenBuildSucceeds,
    merge_status: request.mergeStatus,
    sha: request.headSha,
    merge_commit_sha: request.mergeCommitSha,
    subscribed: counters.subscribed,
    user_notes_count: counters.userNotesCount,
    should_remove_source_branch: request.shouldRemoveSourceBranch,
    force_remove_source_branch: request.forceRemoveSourceBranch,
    web_url: urls.web(...projectPath.split('/'), 'merge_requests', String(iid)),
  };
}

/**
 * A note, as the deprecated `comments` endpoints return it
 * (docs/reference/notes.md#get-projectsidmerge_requestsmerge_request_idcomments).
 */
export class OldCommentView {
  note!: string;
  author!: UserSummaryView;
}

/** Presents merge requests where either kind may stand. */
@Injectable()
@PresentsIssuables()
export class MergeRequestPresenter implements IssuablePresenter {
  readonly type = 'MergeRequest';

  constructor(private readonly urls: Urls) {}

  present(mergeRequest: MergeRequestWithRelations): MergeRequestView {
    return presentMergeRequest(mergeRequest, this.urls);
  }
}
