import type { Commit } from '../../../git/index.js';
import { formatGitDate, shortId, titleOf } from '../../repository/index.js';
import { DiffView } from '../../repository/v3/index.js';
import { MergeRequestView } from './merge-request.view.js';
import type { MergeRequestVersion } from '../model/merge-request.entity.js';

/**
 * A commit of a merge request
 * (docs/reference/merge-requests.md#get-projectsidmerge_requestsmerge_request_idcommits).
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

/** A version of a merge request (docs/reference/merge-requests.md#versions). */
export class VersionView {
  id!: number;
  /** Head of the source branch. */
  head_commit_sha!: string;
  /** The merge base; null when the histories have no commit in common. */
  base_commit_sha!: string | null;
  /** Head of the target branch. */
  start_commit_sha!: string;
  created_at!: Date;
  merge_request_id!: number;
  /** `collected`, `empty` without commits, `overflow` with more changes than are shown. */
  state!: string;
  /** The number of changed files, followed by `+` when the list is cut; null without commits. */
  real_size!: string | null;
}

/** A version with its commits and changes. */
export class WholeVersionView extends VersionView {
  /** Newest first, at most 1,000. */
  commits!: VersionCommitView[];
  /** At most 1,000 files or 50,000 lines. */
  diffs!: DiffView[];
}

/** A merge request with the changes of its newest version. */
export class ChangedMergeRequestView extends MergeRequestView {
  /** At most 1,000 files or 50,000 lines. */
  changes!: DiffView[];
}

export function presentVersion(version: MergeRequestVersion): VersionView {
  return {
    id: version.id,
    head_commit_sha: version.headCommitSha,
    base_commit_sha: version.baseCommitSha,
    start_commit_sha: version.startCommitSha,
    created_at: version.createdAt,
    merge_request_id: version.mergeRequestId,
    state: version.state,
    real_size: version.realSize,
  };
}

export function presentVersionCommit({
  oid,
  author,
  committer,
  message,
}: Commit): VersionCommitView {
  return {
    id: oid,
    short_id: shortId(oid),
    title: titleOf(message),
    author_name: author.name,
    author_email: author.email,
    created_at: formatGitDate(committer),
    message,
  };
}
