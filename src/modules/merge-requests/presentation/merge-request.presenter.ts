import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/urls/index.js';
import { presentMilestone } from '../../issuables/index.js';
import { UserPresenter } from '../../users/index.js';
import type { MergeRequestWithRelations } from './merge-request-relations.js';
import type { MergeRequestView } from './merge-request.view.js';
import { isWorkInProgress } from '../model/work-in-progress.js';

/** Presents merge requests as JSON (docs/reference/merge-requests.md#the-merge-request-object). */
@Injectable()
export class MergeRequestPresenter {
  constructor(
    private readonly urls: Urls,
    private readonly users: UserPresenter,
  ) {}

  present({
    mergeRequest,
    labels,
    milestone,
    author,
    assignee,
    counters,
  }: MergeRequestWithRelations): MergeRequestView {
    const { iid, projectPath } = mergeRequest;
    return {
      id: mergeRequest.id,
      iid,
      project_id: mergeRequest.projectId,
      title: mergeRequest.title,
      description: mergeRequest.description,
      state: mergeRequest.state,
      created_at: mergeRequest.createdAt,
      updated_at: mergeRequest.updatedAt,
      target_branch: mergeRequest.targetBranch,
      source_branch: mergeRequest.sourceBranch,
      upvotes: counters.upvotes,
      downvotes: counters.downvotes,
      author: this.users.summary(author),
      assignee: assignee && this.users.summary(assignee),
      source_project_id: mergeRequest.sourceProjectId,
      target_project_id: mergeRequest.projectId,
      labels: labels.map(({ name }) => name),
      work_in_progress: isWorkInProgress(mergeRequest.title),
      milestone: milestone && presentMilestone(milestone),
      merge_when_build_succeeds: mergeRequest.mergeWhenBuildSucceeds,
      merge_status: mergeRequest.mergeStatus,
      sha: mergeRequest.headSha,
      merge_commit_sha: mergeRequest.mergeCommitSha,
      subscribed: counters.subscribed,
      user_notes_count: counters.userNotesCount,
      should_remove_source_branch: mergeRequest.shouldRemoveSourceBranch,
      force_remove_source_branch: mergeRequest.forceRemoveSourceBranch,
      web_url: this.urls.web(...projectPath.split('/'), 'merge_requests', String(iid)),
    };
  }
}
