import { DiffView } from '../../repository/index.js';
import { MergeRequestView } from '../merge-request.view.js';

/**
 * A commit of a merge request
 * (docs/reference/merge-requests.md#get-projectsidmerge_requestsmerge_request_idcommits). It says
 * nothing that may change.
 */
export class VersionCommitView {
  id!: string;
  short_id!: string;
  title!: string;
  author_name!: string;
  author_email!: string;
  /** The committer's date with its offset. */
  created_at!: string;
  message!: string;
}

/** What a merge request was at one time (docs/reference/merge-requests.md#versions). */
export class VersionView {
  id!: number;
  /** Head of the source branch. */
  head_commit_sha!: string;
  /** The merge base; null for histories that have nothing in common. */
  base_commit_sha!: string | null;
  /** Head of the target branch. */
  start_commit_sha!: string;
  created_at!: Date;
  merge_request_id!: number;
  /** `collected`, `empty` without commits, `overflow` when more is changed than is shown. */
  state!: string;
  /** How many files are changed, with a `+` behind when that is cut; null without commits. */
  real_size!: string | null;
}

/** One version with all that belongs to it. */
export class WholeVersionView extends VersionView {
  /** The newest first, at most 1,000. */
  commits!: VersionCommitView[];
  /** At most 1,000 files or 50,000 lines. */
  diffs!: DiffView[];
}

/** A merge request with what its newest version changes. */
export class ChangedMergeRequestView extends MergeRequestView {
  /** At most 1,000 files or 50,000 lines. */
  changes!: DiffView[];
}
