import type { ChangeCounts, Commit } from '../../git/index.js';
import { LISTED_MESSAGE_CHARACTERS } from '../../platform/limits/index.js';
import type {
  CommitListItemView,
  CommitSummaryView,
  CommitView,
  RefCommitView,
} from './commit.view.js';
import { formatGitDate } from './git-date.js';
import type { CombinedState } from './statuses/combined-status.js';
import type { CommitWithStatus } from './statuses/combined-statuses.js';

const SHORT_ID_LENGTH = 8;

export const shortId = (oid: string): string => oid.slice(0, SHORT_ID_LENGTH);

export function presentCommitListItem({ commit, status }: CommitWithStatus): CommitListItemView {
  const shown = { ...commit, message: cutMessage(commit.message) };
  return { ...summary(shown, status), allow_failure: false };
}

/** @param status what the commit's statuses come to; a new commit has none */
export function presentCommit(
  commit: Commit,
  stats: ChangeCounts,
  status: CombinedState | null = null,
): CommitView {
  return {
    ...summary(commit, status),
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

/** A message as lists show it: what is longer ends in `…` after so many characters. */
export function cutMessage(message: string, most = LISTED_MESSAGE_CHARACTERS): string {
  // With the sign itself, so that what was cut before stays as it is.
  if (message.length <= most + 1) return message;
  const cut = message.slice(0, most);
  return `${cut.replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function summary(commit: Commit, status: CombinedState | null): CommitSummaryView {
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

/** The first line with something on it. */
export function titleOf(message: string): string {
  const start = message.search(/\S/);
  if (start < 0) return '';
  const end = message.indexOf('\n', start);
  return message.slice(start, end < 0 ? undefined : end).trim();
}
