import {
  BooleanParam,
  IdParam,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import type { CreateMergeRequestInput } from '../merge-requests.service.js';

const FROM_DEVELOPER_ON = 'Ignored below level developer in the target project.';

/** `POST /projects/:id/merge_requests`. */
export class CreateMergeRequestDto {
  @StringParam({ stringOnly: true, required: true })
  source_branch!: string;

  @StringParam({ stringOnly: true, required: true })
  target_branch!: string;

  @StringParam({ required: true })
  title!: string;

  @IdParam({ nullable: true, zeroClears: true, description: FROM_DEVELOPER_ON })
  assignee_id?: number | null;

  @StringParam()
  description?: string;

  @IdParam({ description: 'The project of the path, or one that it was forked from.' })
  target_project_id?: number;

  @StringListParam({
    description: `Names; missing labels are created. ${FROM_DEVELOPER_ON}`,
  })
  labels?: string[];

  @IdParam({ nullable: true, zeroClears: true, description: FROM_DEVELOPER_ON })
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
    assigneeId: body.assignee_id,
    milestoneId: body.milestone_id,
    labels: body.labels,
  };
}
