import { BooleanParam, StringParam } from '../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../platform/limits/index.js';
import type { AcceptInput } from './accept.service.js';

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
    removeSourceBranch: body.should_remove_source_branch ?? null,
    whenBuildSucceeds: body.merge_when_build_succeeds ?? false,
    sha: body.sha,
  };
}
