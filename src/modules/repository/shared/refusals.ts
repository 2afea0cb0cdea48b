import { DomainError } from '../../../platform/errors/index.js';

/** Why a ref of a push may not move (docs/reference/git.md#refusals). */
export type RefProblem =
  | 'hash-as-name'
  /** `HEAD`, or a name that begins with `-`. */
  | 'invalid-name'
  | 'no-push-access'
  | 'protected'
  | 'protected-deleted'
  | 'protected-forced'
  /** An existing tag is changed only with more rights. */
  | 'tag-exists';

/** Why a branch is not created, deleted or protected. */
export type BranchProblem =
  | 'exists'
  | 'invalid-name'
  /** There is no commit to begin with. */
  | 'invalid-start'
  | 'is-default'
  | 'missing'
  | 'protected';

/** Why a tag is not created or deleted. The name is the given one, `target` the given revision. */
export type TagProblem =
  | { readonly reason: 'exists'; readonly name: string }
  | { readonly reason: 'invalid-name' }
  | { readonly reason: 'invalid-target'; readonly target: string }
  | { readonly reason: 'missing' };

/** Why a release is not written. */
export type ReleaseProblem =
  | 'exists'
  | 'missing'
  /** The tag does not exist, and nothing says what it should mark. */
  | 'ref-missing'
  | 'tag-missing';

/** Why there is no new commit on a branch. */
export type CommitProblem =
  /** A new branch is asked for. */
  | 'branch-exists'
  | 'invalid-branch-name'
  /** Only files can be created in an empty repository. */
  | 'no-files'
  | 'no-such-branch'
  | 'push-not-allowed';

/** What is done with the changes of a commit on another branch. */
export type ApplicationKind = 'cherry-pick' | 'revert';

/** Why the changes of a commit are not applied to a branch: they conflict with it, or would change nothing. */
export type ApplicationProblem = 'conflict' | 'empty';

/** Why one file is not written. */
export type FileProblem =
  /** It is not as the caller knows it. */
  'changed' | 'exists' | 'missing' | 'not-base64';

/** Why a file cannot have a path, or be found at it. */
export type PathProblem = 'too-long' | 'traversal' | 'unwritable';

/** Why a commit cannot be made of a list of actions. */
export type FileActionProblem =
  | { readonly reason: 'content-missing'; readonly index: number }
  | { readonly reason: 'destination-exists'; readonly path: string }
  | { readonly reason: 'exists'; readonly path: string }
  | {
      readonly reason: 'missing';
      readonly path: string;
      readonly action: 'chmod' | 'delete' | 'move' | 'update';
    }
  | { readonly reason: 'path-missing' }
  | { readonly reason: 'previous-path-missing'; readonly path: string }
  | { readonly reason: 'too-many-changes' }
  | { readonly reason: 'unknown-action'; readonly action: string };

/** Why a submodule does not point at another commit. */
export type SubmoduleProblem =
  /** There is no submodule at the path. */
  | { readonly reason: 'missing' }
  | { readonly reason: 'unchanged'; readonly path: string; readonly target: string };

/** Why there is no changelog of a version. */
export type ChangelogProblem =
  | { readonly reason: 'revision-missing'; readonly revision: string }
  /** No tag has an earlier version, after which its commits would begin. */
  | { readonly reason: 'earlier-version-missing' }
  | { readonly reason: 'too-many-commits' | 'too-many-tags'; readonly limit: number }
  /** There is something else than a text in UTF-8 at the path. */
  | { readonly reason: 'not-a-file' };

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    repository:
      | { readonly code: 'branch-refused'; readonly reason: BranchProblem }
      | ({ readonly code: 'tag-refused' } & TagProblem)
      | { readonly code: 'release-refused'; readonly reason: ReleaseProblem }
      | { readonly code: 'push-refused'; readonly reason: RefProblem }
      | { readonly code: 'commit-refused'; readonly reason: CommitProblem }
      | {
          readonly code: 'application-refused';
          readonly kind: ApplicationKind;
          readonly reason: ApplicationProblem;
        }
      | { readonly code: 'file-refused'; readonly reason: FileProblem }
      | { readonly code: 'path-refused'; readonly reason: PathProblem }
      | ({ readonly code: 'file-action-refused' } & FileActionProblem)
      | ({ readonly code: 'submodule-refused' } & SubmoduleProblem)
      | ({ readonly code: 'changelog-refused' } & ChangelogProblem)
      /** Git does not take the objects. */
      | { readonly code: 'objects-refused'; readonly gitReason: string }
      | { readonly code: 'too-many-protected-branches'; readonly limit: number }
      | { readonly code: 'too-many-statuses'; readonly limit: number }
      /** A revision has no such folder. */
      | { readonly code: 'folder-missing' }
      /** A revision names no commit. */
      | { readonly code: 'revision-missing' }
      /** No branch contains the commit. */
      | { readonly code: 'commit-without-branch' }
      /** The comment of a discussion on a commit stands by itself. */
      | { readonly code: 'discussion-alone' }
      /** No difference shows the line of a comment. */
      | { readonly code: 'position-refused' }
      /** A running status cannot become pending again. */
      | { readonly code: 'status-runs-already' }
      /** The status has the state already, and the caller asked for a transition. */
      | { readonly code: 'status-repeated'; readonly state: 'pending' | 'running' };
  }

  interface Records {
    repository: 'pipeline';
  }

  interface Resources {
    repository:
      | 'blob'
      | 'branch'
      | 'commit'
      | 'discussion'
      | 'file'
      | 'git-object'
      | 'note'
      | 'pipeline'
      | 'signature'
      | 'tag'
      | 'tree';
  }
}

export const branchRefused = (reason: BranchProblem): DomainError =>
  new DomainError({ code: 'branch-refused', reason });

export const tagRefused = (problem: TagProblem): DomainError =>
  new DomainError({ code: 'tag-refused', ...problem });

export const releaseRefused = (reason: ReleaseProblem): DomainError =>
  new DomainError({ code: 'release-refused', reason });

export const pushRefused = (reason: RefProblem): DomainError =>
  new DomainError({ code: 'push-refused', reason });

export const commitRefused = (reason: CommitProblem): DomainError =>
  new DomainError({ code: 'commit-refused', reason });

export const applicationRefused = (
  kind: ApplicationKind,
  reason: ApplicationProblem,
): DomainError => new DomainError({ code: 'application-refused', kind, reason });

export const fileRefused = (reason: FileProblem): DomainError =>
  new DomainError({ code: 'file-refused', reason });

export const pathRefused = (reason: PathProblem): DomainError =>
  new DomainError({ code: 'path-refused', reason });

export const fileActionRefused = (problem: FileActionProblem): DomainError =>
  new DomainError({ code: 'file-action-refused', ...problem });

export const submoduleRefused = (problem: SubmoduleProblem): DomainError =>
  new DomainError({ code: 'submodule-refused', ...problem });

export const changelogRefused = (problem: ChangelogProblem): DomainError =>
  new DomainError({ code: 'changelog-refused', ...problem });

/** The position of a comment is in no difference. */
export const positionRefused = (): DomainError => new DomainError({ code: 'position-refused' });

/** Comments on commits are not replied to. */
export const discussionAlone = (): DomainError => new DomainError({ code: 'discussion-alone' });
