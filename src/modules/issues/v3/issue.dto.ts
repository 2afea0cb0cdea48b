import {
  AtLeastOneOf,
  BooleanParam,
  DateParam,
  EnumParam,
  IdParam,
  PageQuery,
  StringListParam,
  StringParam,
  TimestampParam,
} from '../../../platform/http/index.js';
import type { CreateIssueInput, UpdateIssueInput } from '../model/issue-change.js';

import type { ListFilter } from '../lists/issue-list.sql.js';

const FROM_REPORTER_ON = 'Heeded from members with level reporter on.';

/** `POST /projects/:id/issues`. */
export class CreateIssueDto {
  @StringParam({ required: true })
  title!: string;

  @StringParam()
  description?: string;

  @BooleanParam({ default: false })
  confidential?: boolean;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  assignee_id?: number | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  milestone_id?: number | null;

  @StringListParam({ description: `Names; those that are not there are made. ${FROM_REPORTER_ON}` })
  labels?: string[];

  @TimestampParam({ description: 'Heeded from administrators and project owners.' })
  created_at?: Date;

  @DateParam({ description: FROM_REPORTER_ON })
  due_date?: string | null;

  @IdParam({
    description: 'Number of a merge request in the project; one that is not there is ignored.',
  })
  merge_request_for_resolving_discussions?: number;
}

export function toCreateIssueInput(body: CreateIssueDto): CreateIssueInput {
  return {
    title: body.title,
    description: body.description,
    confidential: body.confidential,
    firstAssigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
    createdAt: body.created_at,
    dueDate: body.due_date,
    followUpOf:
      body.merge_request_for_resolving_discussions === undefined
        ? undefined
        : { iid: body.merge_request_for_resolving_discussions },
  };
}

/** `PUT /projects/:id/issues/:issue_id`. */
@AtLeastOneOf(
  'title',
  'description',
  'confidential',
  'assignee_id',
  'milestone_id',
  'labels',
  'state_event',
  'due_date',
)
export class UpdateIssueDto {
  @StringParam()
  title?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @BooleanParam()
  confidential?: boolean;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  assignee_id?: number | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  milestone_id?: number | null;

  @StringListParam({
    description: `Names, in the place of all it has; those that are not there are made. ${FROM_REPORTER_ON}`,
  })
  labels?: string[];

  @EnumParam(['close', 'reopen'] as const)
  state_event?: 'close' | 'reopen';

  @TimestampParam({
    description: 'In the place of now. Heeded from administrators and project owners.',
  })
  updated_at?: Date;

  @DateParam({ description: FROM_REPORTER_ON })
  due_date?: string | null;
}

export function toUpdateIssueInput(body: UpdateIssueDto): UpdateIssueInput {
  return {
    title: body.title,
    description: body.description,
    confidential: body.confidential,
    firstAssigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
    stateEvent: body.state_event,
    updatedAt: body.updated_at,
    dueDate: body.due_date,
  };
}

/** `POST /projects/:id/issues/:issue_id/move`. */
export class MoveIssueDto {
  @IdParam({ required: true })
  to_project_id!: number;
}

const STATES = ['opened', 'closed', 'all'] as const;
const ORDERS = ['created_at', 'updated_at'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;

/** What every list of issues takes (docs/reference/issues.md#get-issues). */
class ListIssuesDto extends PageQuery {
  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @EnumParam(ORDERS, { default: 'created_at' })
  order_by: (typeof ORDERS)[number] = 'created_at';

  @EnumParam(DIRECTIONS, { default: 'desc' })
  sort: (typeof DIRECTIONS)[number] = 'desc';

  @StringParam({
    blank: 'absent',
    description: 'Title; `No Milestone` for issues without one.',
  })
  milestone?: string;
}

/** `GET /issues`. */
export class ListOwnIssuesDto extends ListIssuesDto {
  @StringListParam({ description: 'Names; issues with any of them.' })
  labels?: string[];
}

/** `GET /groups/:id/issues`. */
export class ListGroupIssuesDto extends ListIssuesDto {
  @StringListParam({ description: 'Names; issues with all of them.' })
  labels?: string[];
}

/** `GET /projects/:id/issues`. */
export class ListProjectIssuesDto extends ListOwnIssuesDto {
  @IdParam({ description: 'Number within the project.' })
  iid?: number;
}

const NO_MILESTONE = 'No Milestone';

type Filters = ListIssuesDto & { labels?: string[]; iid?: number };

export function toListFilter({
  state,
  order_by,
  sort,
  labels,
  iid,
  milestone,
}: Filters): ListFilter {
  return {
    states: state === 'all' ? ['opened', 'closed'] : [state],
    labels: [...new Set(labels)],
    iid,
    milestone: milestone === NO_MILESTONE ? null : milestone,
    order: { by: order_by, direction: sort },
  };
}
