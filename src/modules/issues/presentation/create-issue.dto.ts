import {
  BooleanParam,
  DateParam,
  IdParam,
  IntegerParam,
  StringListParam,
  StringParam,
  TimestampParam,
} from '../../../platform/http/index.js';
import type { CreateIssueInput } from '../issues.service.js';

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

  @IntegerParam({
    description: 'Number of a merge request in the project; one that is not there is ignored.',
  })
  merge_request_for_resolving_discussions?: number;
}

export function toCreateIssueInput(body: CreateIssueDto): CreateIssueInput {
  return {
    title: body.title,
    description: body.description,
    confidential: body.confidential,
    assigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
    createdAt: body.created_at,
    dueDate: body.due_date,
    followUpOf: body.merge_request_for_resolving_discussions,
  };
}
