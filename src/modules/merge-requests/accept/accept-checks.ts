import { type DomainError, recordNotFound } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import type { CombinedState, PipelineKey } from '../../repository/index.js';
import type { User } from '../../users/index.js';
import { isOpen, isWorkInProgress, type MergeRequest } from '../model/merge-request.entity.js';
import { mergeRefused, otherHead } from '../model/refusals.js';
import type { SourceBranchRemoval } from '../model/source-branch-removal.js';

/** The user who accepts a request, with their access to the target project. */
export interface Merger {
  user: User;
  access: ProjectAccess;
}

/** What the user who accepts a request wants of the merge. */
export interface MergeOptions {
  /** The message of the merge commit. Null: the default message. */
  message: string | null;
  /** Whether to squash. Absent: as the request says. */
  squash?: boolean | undefined;
  /** The message of the squash commit. Null: the title of the request. */
  squashMessage: string | null;
  removeSourceBranch: SourceBranchRemoval;
}

/** The facts that the checks need; those that cost a statement or git are read when their check comes. */
export interface AcceptCase {
  readonly mergeRequest: Pick<MergeRequest, 'state' | 'title' | 'headSha'>;
  /** The head that the caller expects. */
  readonly sha: string | undefined;
  /** Whether the head is checked after all others. */
  readonly checksHeadLast?: boolean | undefined;
  readonly mayMerge: () => Promise<boolean>;
  /** Whether the project requires resolved threads, and one is not. */
  readonly awaitsResolution: () => Promise<boolean>;
  /** Whether the project requires a successful build, and it has not succeeded. */
  readonly awaitsBuild: () => Promise<boolean>;
  /** Whether the project requires approvals that the request lacks. */
  readonly lacksApprovals: boolean;
  /** Whether a squash is asked for, and the project never squashes. */
  readonly isSquashForbidden: boolean;
  readonly isMergeable: () => Promise<boolean>;
  /** Whether the project requires the source branch to be based on the head of the target branch, and it is not. */
  readonly needsRebase: () => Promise<boolean>;
}

interface Check {
  readonly fails: (accept: AcceptCase) => boolean | Promise<boolean>;
  readonly refusal: (accept: AcceptCase) => DomainError;
}

const notOpen = (): DomainError => mergeRefused('not-open');

const HEAD_CHECK: Check = {
  fails: ({ sha, mergeRequest }) => sha !== undefined && sha !== mergeRequest.headSha,
  refusal: ({ mergeRequest }) => otherHead(mergeRequest.headSha),
};

/**
 * The checks of docs/reference/merge-requests.md#put-projectsidmerge_requestsmerge_request_idmerge,
 * in their order.
 */
const CHECKS: readonly Check[] = [
  {
    fails: async ({ mayMerge }) => !(await mayMerge()),
    refusal: () => mergeRefused('not-permitted'),
  },
  { fails: ({ mergeRequest }) => !isOpen(mergeRequest), refusal: notOpen },
  HEAD_CHECK,
  {
    fails: ({ mergeRequest }) => isWorkInProgress(mergeRequest.title),
    refusal: () => mergeRefused('work-in-progress'),
  },
  {
    fails: ({ awaitsResolution }) => awaitsResolution(),
    refusal: () => mergeRefused('discussions-unresolved'),
  },
  { fails: ({ awaitsBuild }) => awaitsBuild(), refusal: () => mergeRefused('awaits-build') },
  { fails: ({ lacksApprovals }) => lacksApprovals, refusal: () => mergeRefused('not-approved') },
  {
    fails: ({ isSquashForbidden }) => isSquashForbidden,
    refusal: () => mergeRefused('squash-forbidden'),
  },
  {
    fails: async ({ isMergeable }) => !(await isMergeable()),
    refusal: () => mergeRefused('not-mergeable'),
  },
  { fails: ({ needsRebase }) => needsRebase(), refusal: () => mergeRefused('needs-rebase') },
];

/** The same checks, that of the head after all others. */
const HEAD_LAST: readonly Check[] = [...CHECKS.filter((check) => check !== HEAD_CHECK), HEAD_CHECK];

/** Returns the refusal of the first check that fails; null when the request can be accepted. */
export async function findRefusal(accept: AcceptCase): Promise<DomainError | null> {
  for (const { fails, refusal } of accept.checksHeadLast === true ? HEAD_LAST : CHECKS) {
    if (await fails(accept)) return refusal(accept);
  }
  return null;
}

type CheckedColumns = Pick<MergeRequest, 'state' | 'title' | 'headSha' | 'targetBranch' | 'squash'>;

/**
 * Checks that a request is still as it was when it was checked. Call with the row locked.
 * @throws DomainError record not found, merge refused when it was closed, merged or changed
 */
export function assertUnchanged<T extends CheckedColumns>(
  current: T | null,
  checked: CheckedColumns,
): asserts current is T {
  if (current === null) throw recordNotFound('merge-request');
  if (current.state === 'closed') throw notOpen();
  const isSame =
    isOpen(current) &&
    current.headSha === checked.headSha &&
    current.targetBranch === checked.targetBranch &&
    current.title === checked.title &&
    current.squash === checked.squash;
  if (!isSame) throw mergeRefused('changed');
}

/**
 * The pipeline of a request: the statuses of its head on its source branch
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

export const hasSucceeded = (state: CombinedState | null): boolean =>
  state === 'success' || state === 'skipped';
