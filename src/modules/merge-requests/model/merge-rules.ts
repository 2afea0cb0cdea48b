import type { MergeMethod, SquashOption } from '../../projects/index.js';
import type { MergeRequest } from './merge-request.entity.js';

/** What a project lays down for its merges. */
export interface MergeRules {
  readonly method: MergeMethod;
  readonly squashOption: SquashOption;
  /** Whether only requests are merged whose build has succeeded. */
  readonly requiresBuild: boolean;
  readonly requiredApprovals: number;
  /** Whether only requests are merged whose threads are resolved. */
  readonly requiresResolution: boolean;
}

/** Whether a source branch is merged only if it is based on the head of the target branch. */
export const requiresBase = ({ method }: Pick<MergeRules, 'method'>): boolean => method !== 'merge';

/** Whether a request has the approvals that its project requires. */
export const isApproved = (
  { requiredApprovals }: Pick<MergeRules, 'requiredApprovals'>,
  { approvedByIds }: Pick<MergeRequest, 'approvedByIds'>,
): boolean => approvedByIds.length >= requiredApprovals;

/**
 * Whether a merge squashes.
 * @param wanted what the request says, or the user who merges it
 */
export const squashes = (
  { squashOption }: Pick<MergeRules, 'squashOption'>,
  wanted: boolean,
): boolean => squashOption === 'always' || (squashOption !== 'never' && wanted);
