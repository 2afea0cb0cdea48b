import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdParam,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../platform/limits/index.js';
import { PeopleParam, toAssigneeIds, toUserIds } from '../../issuables/v4/index.js';
import type { AcceptInput } from '../accept/accept.service.js';
import type {
  CreateMergeRequestInput,
  UpdateMergeRequestInput,
} from '../changes/merge-request-input.js';

const SQUASH =
  'Whether the merge is to squash; the squash option of the project may say otherwise.';

const COLLABORATION =
  'Has no effect: members of the target project do not push to the source branch.';

const FROM_TARGET_DEVELOPER_ON = 'Ignored below level developer in the target project.';

/** `POST /projects/:id/merge_requests`. */
export class V4CreateMergeRequestDto {
  @StringParam({ stringOnly: true, required: true })
  source_branch!: string;

  @StringParam({ stringOnly: true, required: true })
  target_branch!: string;

  @StringParam({ required: true })
  title!: string;

  @PeopleParam(FROM_TARGET_DEVELOPER_ON)
  assignee_ids?: number[] | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_TARGET_DEVELOPER_ON })
  assignee_id?: number | null;

  @PeopleParam(FROM_TARGET_DEVELOPER_ON)
  reviewer_ids?: number[] | null;

  @StringParam({ nullable: true })
  description?: string | null;

  @IdParam({ description: 'The project of the path, or one that it was forked from.' })
  target_project_id?: number;

  @StringListParam({
    description: `Names; missing labels are created. ${FROM_TARGET_DEVELOPER_ON}`,
  })
  labels?: string[];

  @IdParam({ nullable: true, zeroClears: true, description: FROM_TARGET_DEVELOPER_ON })
  milestone_id?: number | null;

  @BooleanParam({ description: 'Whether the merge removes the source branch.' })
  remove_source_branch?: boolean;

  @BooleanParam({ description: SQUASH })
  squash?: boolean;

  @BooleanParam({ description: COLLABORATION })
  allow_collaboration?: boolean;

  @BooleanParam({ description: COLLABORATION })
  allow_maintainer_to_push?: boolean;
}

export const toCreateInput = (body: V4CreateMergeRequestDto): CreateMergeRequestInput => ({
  sourceBranch: body.source_branch,
  targetBranch: body.target_branch,
  targetProjectId: body.target_project_id,
  title: body.title,
  description: body.description ?? undefined,
  removeSourceBranch: body.remove_source_branch ?? null,
  squash: body.squash,
  assigneeIds: toAssigneeIds(body),
  reviewerIds: toUserIds(body.reviewer_ids),
  milestoneId: body.milestone_id,
  labels: body.labels,
});

const FROM_DEVELOPER_ON = 'Ignored below level developer.';

/** `PUT /projects/:id/merge_requests/:merge_request_iid`. */
@AtLeastOneOf(
  'allow_collaboration',
  'allow_maintainer_to_push',
  'assignee_id',
  'assignee_ids',
  'description',
  'discussion_locked',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'remove_source_branch',
  'reviewer_ids',
  'squash',
  'state_event',
  'target_branch',
  'title',
)
export class V4UpdateMergeRequestDto {
  @StringParam({ blank: 'refused' })
  title?: string;

  @StringParam({ stringOnly: true, blank: 'refused' })
  target_branch?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @PeopleParam(FROM_DEVELOPER_ON)
  assignee_ids?: number[] | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_DEVELOPER_ON })
  assignee_id?: number | null;

  @PeopleParam(FROM_DEVELOPER_ON)
  reviewer_ids?: number[] | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_DEVELOPER_ON })
  milestone_id?: number | null;

  @StringListParam({
    nullable: true,
    description: `Names that replace all labels; missing labels are created. ${FROM_DEVELOPER_ON}`,
  })
  labels?: string[] | null;

  @StringListParam({ description: `Names; missing labels are created. ${FROM_DEVELOPER_ON}` })
  add_labels?: string[];

  @StringListParam({ description: `Names. ${FROM_DEVELOPER_ON}` })
  remove_labels?: string[];

  @EnumParam(['close', 'reopen'] as const)
  state_event?: 'close' | 'reopen';

  @BooleanParam({ description: 'Whether the merge removes the source branch.' })
  remove_source_branch?: boolean;

  @BooleanParam({ description: SQUASH })
  squash?: boolean;

  @BooleanParam({
    description: `Whether members of the project alone may comment. ${FROM_DEVELOPER_ON}`,
  })
  discussion_locked?: boolean;

  @BooleanParam({ description: COLLABORATION })
  allow_collaboration?: boolean;

  @BooleanParam({ description: COLLABORATION })
  allow_maintainer_to_push?: boolean;
}

export const toUpdateInput = (body: V4UpdateMergeRequestDto): UpdateMergeRequestInput => ({
  title: body.title,
  targetBranch: body.target_branch,
  description: body.description,
  assigneeIds: toAssigneeIds(body),
  reviewerIds: toUserIds(body.reviewer_ids),
  milestoneId: body.milestone_id,
  labels: body.labels === null ? [] : body.labels,
  addLabels: body.add_labels,
  removeLabels: body.remove_labels,
  stateEvent: body.state_event,
  removeSourceBranch: body.remove_source_branch,
  squash: body.squash,
  discussionLocked: body.discussion_locked,
});

/** `GET /projects/:id/merge_requests/:merge_request_iid`. */
export class V4ReadMergeRequestDto {
  @BooleanParam({ default: false, description: 'Whether to answer `rebase_in_progress`.' })
  include_rebase_in_progress: boolean = false;

  @BooleanParam({ default: false, description: 'Whether to answer `diverged_commits_count`.' })
  include_diverged_commits_count: boolean = false;

  @BooleanParam({ default: false, description: 'Has no effect: texts are not rendered.' })
  render_html?: boolean;
}

/** `PUT /projects/:id/merge_requests/:merge_request_iid/rebase`. */
export class V4RebaseMergeRequestDto {
  @BooleanParam({ description: 'Has no effect: the service runs no pipelines.' })
  skip_ci?: boolean;
}

/** `PUT /projects/:id/merge_requests/:merge_request_iid/merge`. */
export class V4AcceptMergeRequestDto {
  @StringParam({ stringOnly: true, blank: 'absent', maxLength: MAX_COMMIT_MESSAGE })
  merge_commit_message?: string;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    maxLength: MAX_COMMIT_MESSAGE,
    description: 'The title of the request when absent.',
  })
  squash_commit_message?: string;

  @BooleanParam({ description: 'Whether to squash; by default as the request says.' })
  squash?: boolean;

  @BooleanParam()
  should_remove_source_branch?: boolean;

  @BooleanParam({ description: 'Whether to merge once the pipeline succeeds, if there is one.' })
  merge_when_pipeline_succeeds?: boolean;

  @BooleanParam({ description: 'The same as `merge_when_pipeline_succeeds`.' })
  auto_merge?: boolean;

  @StringParam({ description: 'The full SHA that the head of the source branch must have.' })
  sha?: string;
}

export const toAcceptInput = (body: V4AcceptMergeRequestDto): AcceptInput => ({
  message: body.merge_commit_message ?? null,
  squash: body.squash,
  squashMessage: body.squash_commit_message ?? null,
  removeSourceBranch: body.should_remove_source_branch ?? null,
  whenBuildSucceeds: body.auto_merge ?? body.merge_when_pipeline_succeeds ?? false,
  mergesWithoutBuild: true,
  sha: body.sha,
  checksHeadLast: true,
});
