import type { CombinedState, PipelineKey } from '../../repository/index.js';
import type { MergeRequest } from '../merge-request.entity.js';

/**
 * The statuses that count for a merge request: of its head, on its source branch
 * (docs/reference/commit-statuses.md#the-status-of-a-commit).
 */
export function headPipeline({
  sourceProjectId,
  headSha,
  sourceBranch,
}: Pick<MergeRequest, 'sourceProjectId' | 'headSha' | 'sourceBranch'>): PipelineKey | null {
  if (sourceProjectId === null || headSha === null) return null;
  return { projectId: sourceProjectId, sha: headSha, ref: sourceBranch };
}

/** Whether a build has ended well. */
export const hasSucceeded = (state: CombinedState | null): boolean =>
  state === 'success' || state === 'skipped';
