import { V4CommitView, V4DiffView } from '../../repository/v4/index.js';
import type { MergeRequestVersion } from '../model/merge-request.entity.js';

/** A version of a merge request (docs/reference/merge-requests.md#versions). */
export class V4VersionView {
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
  /** Always null. */
  patch_id_sha!: string | null;
}

/** A version with its commits and changes. */
export class V4WholeVersionView extends V4VersionView {
  /** Newest first, at most 1,000. */
  commits!: V4CommitView[];
  /** At most 1,000 files or 50,000 lines. */
  diffs!: V4DiffView[];
}

export function presentV4Version(version: MergeRequestVersion): V4VersionView {
  return {
    id: version.id,
    head_commit_sha: version.headCommitSha,
    base_commit_sha: version.baseCommitSha,
    start_commit_sha: version.startCommitSha,
    created_at: version.createdAt,
    merge_request_id: version.mergeRequestId,
    state: version.state,
    real_size: version.realSize,
    patch_id_sha: null,
  };
}
