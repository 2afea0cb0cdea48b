import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdParam,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import type { UpdateMergeRequestInput } from '../merge-requests.service.js';

const FROM_DEVELOPER_ON = 'Ignored below level developer.';

/**
 * `PUT /projects/:id/merge_requests/:merge_request_id`. Clients also send the source branch and the target
 * project, which cannot be changed.
 */
@AtLeastOneOf(
  ...['title', 'target_branch', 'description', 'assignee_id', 'milestone_id', 'labels'],
  ...['state_event', 'remove_source_branch'],
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
    assigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
    stateEvent: body.state_event,
    removeSourceBranch: body.remove_source_branch,
  };
}
