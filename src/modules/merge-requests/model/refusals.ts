import { DomainError } from '../../../platform/errors/index.js';

/** Why a merge request is not merged. */
export type MergeObstacle =
  | 'awaits-build'
  /** It was merged, or its branches or title have changed since it was checked. */
  | 'changed'
  /** The project merges only requests whose threads are resolved. */
  | 'discussions-unresolved'
  /** The project merges only source branches that are based on the head of the target branch. */
  | 'needs-rebase'
  /** It lacks approvals that the project requires. */
  | 'not-approved'
  | 'not-mergeable'
  | 'not-open'
  | 'not-permitted'
  /** A squash was asked for where the project never squashes. */
  | 'squash-forbidden'
  | 'work-in-progress';

/** Why an automatic merge is not canceled. */
export type CancelObstacle = 'not-open' | 'not-permitted' | 'not-waiting';

/** Why a rebase is not begun. */
export type RebaseObstacle =
  | 'in-progress'
  | 'not-open'
  /** The caller may not push to the source branch, or not read the target branch. */
  | 'not-permitted'
  /** The source branch is protected, so that nobody pushes to it by force. */
  | 'protected'
  | 'source-missing';

/** Why an approval is not given or withdrawn. */
export type ApprovalObstacle =
  /** The caller has approved the request already. */
  | 'approved-already'
  /** The caller has not approved the request, or it is merged. */
  | 'nothing-to-withdraw'
  /** The caller is the author or no developer, or the request is not open. */
  | 'not-permitted';

/** Why there cannot be a merge request for two branches. */
export type BranchPairProblem = 'same-branch' | 'unrelated-projects';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    'merge-requests':
      | { readonly code: 'merge-refused'; readonly reason: MergeObstacle }
      | { readonly code: 'other-head'; readonly headSha: string | null }
      | { readonly code: 'cancel-refused'; readonly reason: CancelObstacle }
      | { readonly code: 'rebase-refused'; readonly reason: RebaseObstacle }
      /** It is not open, its branches conflict, or there is nothing to merge. */
      | { readonly code: 'merge-ref-refused' }
      | { readonly code: 'approval-refused'; readonly reason: ApprovalObstacle }
      | { readonly code: 'branch-pair-refused'; readonly reason: BranchPairProblem }
      | {
          readonly code: 'merge-request-exists';
          readonly iid: number;
          readonly title: string;
        };
  }

  interface Records {
    'merge-requests': 'merge-request-version';
  }
}

export const mergeRefused = (reason: MergeObstacle): DomainError =>
  new DomainError({ code: 'merge-refused', reason });

/** The head of the source branch is not the one that the caller expects. */
export const otherHead = (headSha: string | null): DomainError =>
  new DomainError({ code: 'other-head', headSha });

export const cancelRefused = (reason: CancelObstacle): DomainError =>
  new DomainError({ code: 'cancel-refused', reason });

export const rebaseRefused = (reason: RebaseObstacle): DomainError =>
  new DomainError({ code: 'rebase-refused', reason });

export const mergeRefRefused = (): DomainError => new DomainError({ code: 'merge-ref-refused' });

export const approvalRefused = (reason: ApprovalObstacle): DomainError =>
  new DomainError({ code: 'approval-refused', reason });

export const branchPairRefused = (reason: BranchPairProblem): DomainError =>
  new DomainError({ code: 'branch-pair-refused', reason });

/** Another merge request is open for the same branches. */
export const mergeRequestExists = (open: { iid: number; title: string }): DomainError =>
  new DomainError({ code: 'merge-request-exists', iid: open.iid, title: open.title });
