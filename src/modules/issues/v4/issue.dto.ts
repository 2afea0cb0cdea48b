import {
  AtLeastOneOf,
  BooleanParam,
  DateParam,
  EnumParam,
  IdParam,
  StringListParam,
  StringParam,
  TimestampParam,
} from '../../../platform/http/index.js';
import {
  type ListScope,
  PeopleParam,
  toAssigneeIds,
  toIssuableFilters,
  toLabelNames,
  toListOrder,
  toMilestoneTitle,
  V4ListIssuablesDto,
} from '../../issuables/v4/index.js';
import { type DueDate, DUE_DATES, toDueFilter } from './due-dates.js';
import type { ListFilter } from '../lists/issue-list.sql.js';
import type { CreateIssueInput, UpdateIssueInput } from '../model/issue-change.js';

const FROM_REPORTER_ON = 'Ignored below level reporter.';
const TYPES = ['issue'] as const;

/** `POST /projects/:id/issues`. */
export class V4CreateIssueDto {
  @StringParam({ required: true })
  title!: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @BooleanParam({ default: false })
  confidential?: boolean;

  @PeopleParam(FROM_REPORTER_ON)
  assignee_ids?: number[] | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  assignee_id?: number | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  milestone_id?: number | null;

  @StringListParam({ description: `Names; missing labels are created. ${FROM_REPORTER_ON}` })
  labels?: string[];

  @TimestampParam({ description: 'For administrators and project owners; ignored from others.' })
  created_at?: Date;

  @DateParam({ description: FROM_REPORTER_ON })
  due_date?: string | null;

  @EnumParam(TYPES, { default: 'issue' })
  issue_type?: (typeof TYPES)[number];

  @IdParam({
    description: 'Number of a merge request in the project; one that does not exist is ignored.',
  })
  merge_request_to_resolve_discussions_of?: number;

  @StringParam({
    blank: 'absent',
    description: 'Of that merge request, the only thread that is resolved.',
  })
  discussion_to_resolve?: string;
}

export const toCreateIssueInput = (body: V4CreateIssueDto): CreateIssueInput => ({
  title: body.title,
  description: body.description ?? undefined,
  confidential: body.confidential,
  assigneeIds: toAssigneeIds(body),
  milestoneId: body.milestone_id,
  labels: body.labels,
  createdAt: body.created_at,
  dueDate: body.due_date,
  followUpOf:
    body.merge_request_to_resolve_discussions_of === undefined
      ? undefined
      : {
          iid: body.merge_request_to_resolve_discussions_of,
          discussionId: body.discussion_to_resolve,
        },
});

/** `PUT /projects/:id/issues/:issue_iid`. */
@AtLeastOneOf(
  'assignee_id',
  'assignee_ids',
  'confidential',
  'description',
  'discussion_locked',
  'due_date',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'state_event',
  'title',
  'issue_type',
)
export class V4UpdateIssueDto {
  @StringParam()
  title?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @BooleanParam()
  confidential?: boolean;

  @BooleanParam({
    description: `Whether members of the project alone may comment. ${FROM_REPORTER_ON}`,
  })
  discussion_locked?: boolean;

  @PeopleParam(FROM_REPORTER_ON)
  assignee_ids?: number[] | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  assignee_id?: number | null;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_REPORTER_ON })
  milestone_id?: number | null;

  @StringListParam({
    nullable: true,
    description: `Names that replace all labels; missing labels are created. ${FROM_REPORTER_ON}`,
  })
  labels?: string[] | null;

  @StringListParam({ description: `Names; missing labels are created. ${FROM_REPORTER_ON}` })
  add_labels?: string[];

  @StringListParam({ description: `Names. ${FROM_REPORTER_ON}` })
  remove_labels?: string[];

  @EnumParam(['close', 'reopen'] as const)
  state_event?: 'close' | 'reopen';

  @TimestampParam({ description: 'For administrators and project owners; ignored from others.' })
  updated_at?: Date;

  @DateParam({ description: FROM_REPORTER_ON })
  due_date?: string | null;

  @EnumParam(TYPES)
  issue_type?: (typeof TYPES)[number];
}

export const toUpdateIssueInput = (body: V4UpdateIssueDto): UpdateIssueInput => ({
  title: body.title,
  description: body.description,
  confidential: body.confidential,
  discussionLocked: body.discussion_locked,
  assigneeIds: toAssigneeIds(body),
  milestoneId: body.milestone_id,
  labels: body.labels === null ? [] : body.labels,
  addLabels: body.add_labels,
  removeLabels: body.remove_labels,
  stateEvent: body.state_event,
  updatedAt: body.updated_at,
  dueDate: body.due_date,
});

/** `POST /projects/:id/issues/:issue_iid/move`. */
export class V4MoveIssueDto {
  @IdParam({ required: true })
  to_project_id!: number;
}

const STATES = ['opened', 'closed', 'all'] as const;

/** `GET /issues`, `GET /groups/:id/issues` and `GET /projects/:id/issues`. */
export class V4ListIssuesDto extends V4ListIssuablesDto {
  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @BooleanParam()
  confidential?: boolean;

  @EnumParam(TYPES)
  issue_type?: (typeof TYPES)[number];

  @EnumParam(Object.keys(DUE_DATES), {
    description:
      '`0`: without a due date; `any`: with one; else when it lies, by the calendar of UTC.',
  })
  due_date?: DueDate;
}

/** @param otherwise the scope of the list unless another one is asked for */
export const toListFilter = (
  query: V4ListIssuesDto,
  callerId: number | null,
  otherwise: ListScope,
): ListFilter => ({
  states: query.state === 'all' ? ['opened', 'closed'] : [query.state],
  labels: toLabelNames(query),
  milestone: toMilestoneTitle(query),
  confidential: query.confidential,
  others: {
    ...toIssuableFilters(query, callerId, otherwise),
    due: query.due_date && toDueFilter(query.due_date, new Date()),
  },
  order: toListOrder(query),
});
