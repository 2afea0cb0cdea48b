import type { Commit } from '../../../git/index.js';
import { formatGitDate, shortId, titleOf } from '../../repository/index.js';
import type { MergeRequestVersion } from './merge-request-version.entity.js';
import type { VersionCommitView, VersionView } from './version.view.js';

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
