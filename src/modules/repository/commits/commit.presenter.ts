import type { ChangeCounts, Commit } from '../../../git/index.js';
import { cutMessage, shortId, titleOf } from '../shared/commit-text.js';
import { formatGitDate } from '../shared/git-date.js';
import type { CommitWithStatus } from './statuses/combined-statuses.js';
import type { CombinedState } from './statuses/status.rules.js';
import type {
  CommitListItemView,
  CommitSummaryView,
  CommitView,
  RefCommitView,
} from './commit.view.js';

export function presentCommitListItem({ commit, status }: CommitWithStatus): CommitListItemView {
  const shown = { ...commit, message: cutMessage(commit.message) };
  return { ...presentSummary(shown, status), allow_failure: false };
}

/** @param status the combined status of the commit; a new commit has none */
export function presentCommit(
  commit: Commit,
  stats: ChangeCounts,
  status: CombinedState | null = null,
): CommitView {
  return {
    ...presentSummary(commit, status),
    parent_ids: commit.parents,
    committed_date: formatGitDate(commit.committer),
    authored_date: formatGitDate(commit.author),
    stats: { ...stats, total: stats.additions + stats.deletions },
  };
}

export function presentRefCommit(commit: Commit): RefCommitView {
  return {
    id: commit.oid,
    parent_ids: commit.parents,
    message: cutMessage(commit.message),
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: formatGitDate(commit.author),
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: formatGitDate(commit.committer),
  };
}

function presentSummary(commit: Commit, status: CombinedState | null): CommitSummaryView {
  return {
    id: commit.oid,
    short_id: shortId(commit.oid),
    title: titleOf(commit.message),
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    created_at: formatGitDate(commit.committer),
    status,
  };
}
