import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdListParam,
  IdParam,
  PageQuery,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../platform/limits/index.js';
import type { AcceptInput } from '../accept/accept.service.js';
import type {
  CreateMergeRequestInput,
  UpdateMergeRequestInput,
} from '../changes/merge-request-input.js';
import type { MergeRequestFilter } from '../model/merge-request-list.sql.js';
import type { MergeRequestState } from '../model/merge-request.entity.js';

const FROM_TARGET_DEVELOPER_ON = 'Ignored below level developer in the target project.';

/** `POST /projects/:id/merge_requests`. */
export class CreateMergeRequestDto {
  @StringParam({ stringOnly: true, required: true })
  source_branch!: string;

  @StringParam({ stringOnly: true, required: true })
  target_branch!: string;

  @StringParam({ required: true })
  title!: string;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_TARGET_DEVELOPER_ON })
  assignee_id?: number | null;

  @StringParam()
  description?: string;

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
}

export function toCreateMergeRequestInput(body: CreateMergeRequestDto): CreateMergeRequestInput {
  return {
    sourceBranch: body.source_branch,
    targetBranch: body.target_branch,
    targetProjectId: body.target_project_id,
    title: body.title,
    description: body.description,
    removeSourceBranch: body.remove_source_branch ?? null,
    firstAssigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
  };
}

const FROM_DEVELOPER_ON = 'Ignored below level developer.';

/**
 * `PUT /projects/:id/merge_requests/:merge_request_id`. Clients also send the source branch and the target
 * project, which cannot be changed.
 */
@AtLeastOneOf(
  'title',
  'target_branch',
  'description',
  'assignee_id',
  'milestone_id',
  'labels',
  'state_event',
  'remove_source_branch',
)
export class UpdateMergeRequestDto {
  @StringParam({ blank: 'refused' })
  title?: string;

  @StringParam({ stringOnly: true, blank: 'refused' })
  target_branch?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_DEVELOPER_ON })
  assignee_id?: number | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_DEVELOPER_ON })
  milestone_id?: number | null;

  @StringListParam({
    description: `Names that replace all labels; missing labels are created. ${FROM_DEVELOPER_ON}`,
  })
  labels?: string[];

  @EnumParam(['close', 'reopen', 'merge'] as const, { description: '`merge` has no effect.' })
  state_event?: 'close' | 'reopen' | 'merge';

  @BooleanParam({ description: 'Whether the merge removes the source branch.' })
  remove_source_branch?: boolean;
}

export function toUpdateMergeRequestInput(body: UpdateMergeRequestDto): UpdateMergeRequestInput {
  return {
    title: body.title,
    targetBranch: body.target_branch,
    description: body.description,
    firstAssigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
    stateEvent: body.state_event,
    removeSourceBranch: body.remove_source_branch,
  };
}

const STATES = ['opened', 'closed', 'merged', 'all'] as const;
const ORDERS = ['created_at', 'updated_at'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;

/**
 * The states that each value of the parameter selects: `opened` selects both open states
 * (docs/reference/merge-requests.md#get-projectsidmerge_requests).
 */
const SELECTED_STATES: Readonly<Record<(typeof STATES)[number], readonly MergeRequestState[]>> = {
  opened: ['opened', 'reopened'],
  closed: ['closed'],
  merged: ['merged'],
  all: ['opened', 'reopened', 'closed', 'merged'],
};

/** `GET /projects/:id/merge_requests`. */
export class ListMergeRequestsDto extends PageQuery {
  @IdListParam({
    description: 'Iids; those of no merge request are ignored.',
  })
  iid?: number[];

  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @EnumParam(ORDERS, { default: 'created_at' })
  order_by: (typeof ORDERS)[number] = 'created_at';

  @EnumParam(DIRECTIONS, { default: 'desc' })
  sort: (typeof DIRECTIONS)[number] = 'desc';
}

export function toFilter({ iid, state, order_by, sort }: ListMergeRequestsDto): MergeRequestFilter {
  return { iids: iid, states: SELECTED_STATES[state], order: { by: order_by, direction: sort } };
}

/** `POST …/merge_requests/:merge_request_id/comments`. */
export class CreateCommentDto {
  @StringParam({ required: true })
  note!: string;
}

/** `PUT /projects/:id/merge_requests/:merge_request_id/merge`. */
export class AcceptMergeRequestDto {
  @StringParam({ stringOnly: true, blank: 'absent', maxLength: MAX_COMMIT_MESSAGE })
  merge_commit_message?: string;

  @BooleanParam()
  should_remove_source_branch?: boolean;

  @BooleanParam()
  merge_when_build_succeeds?: boolean;

  @StringParam({ description: 'The full SHA that the head of the source branch must have.' })
  sha?: string;
}

export function toAcceptInput(body: AcceptMergeRequestDto): AcceptInput {
  return {
    message: body.merge_commit_message ?? null,
    squashMessage: null,
    removeSourceBranch: body.should_remove_source_branch ?? null,
    whenBuildSucceeds: body.merge_when_build_succeeds ?? false,
    sha: body.sha,
  };
}
