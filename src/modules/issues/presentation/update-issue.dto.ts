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
import type { UpdateIssueInput } from '../model/issue-change.js';

const FROM_REPORTER_ON = 'Heeded from members with level reporter on.';

/** `PUT /projects/:id/issues/:issue_id`. */
@AtLeastOneOf(
  ...['title', 'description', 'confidential', 'assignee_id', 'milestone_id', 'labels'],
  ...['state_event', 'due_date'],
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
    assigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
    stateEvent: body.state_event,
    updatedAt: body.updated_at,
    dueDate: body.due_date,
  };
}
