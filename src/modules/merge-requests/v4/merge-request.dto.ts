import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdParam,
  PageQuery,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../platform/limits/index.js';
import {
  type ListScope,
  PeopleParam,
  toApproverFilters,
  toAssigneeIds,
  toIssuableFilters,
  toLabelNames,
  toListOrder,
  toMilestoneTitle,
  toPersonFilters,
  toUserIds,
  V4ListIssuablesDto,
} from '../../issuables/v4/index.js';
import type { AcceptInput } from '../accept/accept.service.js';
import type {
  CreateMergeRequestInput,
  UpdateMergeRequestInput,
} from '../changes/merge-request-input.js';
import type { MergeRequestState } from '../model/merge-request.entity.js';
import type { MergeRequestFilter } from '../model/merge-request-list.sql.js';

const SQUASH =
  'Whether the merge is to squash; the squash option of the project may say otherwise.';

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
}

/** `PUT /projects/:id/merge_requests/:merge_request_iid/rebase`. */
export class V4RebaseMergeRequestDto {
  @BooleanParam({ description: 'Has no effect: the service runs no pipelines.' })
  skip_ci?: boolean;
}

const STATES = ['opened', 'closed', 'locked', 'merged', 'all'] as const;

/** `opened` selects requests that were reopened as well; none is ever locked. */
const SELECTED_STATES: Readonly<Record<(typeof STATES)[number], readonly MergeRequestState[]>> = {
  opened: ['opened', 'reopened'],
  closed: ['closed'],
  locked: [],
  merged: ['merged'],
  all: ['opened', 'reopened', 'closed', 'merged'],
};

/** `GET /merge_requests`, `GET /groups/:id/merge_requests` and `GET /projects/:id/merge_requests`. */
export class V4ListMergeRequestsDto extends V4ListIssuablesDto {
  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @StringParam({ blank: 'absent' })
  source_branch?: string;

  @StringParam({ blank: 'absent' })
  target_branch?: string;

  @StringParam({
    blank: 'absent',
    description: 'ID of a user among the reviewers; `None`: without a reviewer; `Any`: with one.',
  })
  reviewer_id?: string;

  @StringParam({ blank: 'absent' })
  reviewer_username?: string;

  @StringListParam({
    description:
      'IDs of users, all of whom have approved; `None`: approved by nobody; `Any`: by somebody.',
  })
  approved_by_ids?: string[];

  @StringListParam({ description: 'User names, all of whom have approved.' })
  approved_by_usernames?: string[];
}

/** `GET /projects/:id/repository/commits/:sha/merge_requests`. */
export class V4ListCommitMergeRequestsDto extends PageQuery {
  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';
}

export const toStates = ({ state }: V4ListCommitMergeRequestsDto): readonly MergeRequestState[] =>
  SELECTED_STATES[state];

/** @param otherwise the scope of the list unless another one is asked for */
export function toFilter(
  query: V4ListMergeRequestsDto,
  callerId: number | null,
  otherwise: ListScope,
): MergeRequestFilter {
  const labels = toLabelNames(query);
  const { reviewer_id: reviewerId, reviewer_username: reviewer } = query;
  const reviewers = toPersonFilters(
    'reviewer',
    reviewerId,
    reviewer === undefined ? [] : [reviewer],
  );
  const approvers = toApproverFilters(query.approved_by_ids, query.approved_by_usernames);
  return {
    states: SELECTED_STATES[query.state],
    sourceBranch: query.source_branch,
    targetBranch: query.target_branch,
    labels: labels.length === 0 ? undefined : labels,
    milestone: toMilestoneTitle(query),
    others: { ...toIssuableFilters(query, callerId, otherwise), reviewers, approvers },
    order: toListOrder(query),
  };
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
