import type { ChangeCounts, Commit } from '../../../../git/index.js';
import { cutMessage, shortId, titleOf } from '../../shared/commit-text.js';
import { formatGitDate } from '../../shared/git-date.js';
import type { Contributor } from '../../commits/commits.service.js';
import type { CommitWithStatus } from '../../commits/statuses/combined-statuses.js';
import type { CombinedState } from '../../commits/statuses/status.rules.js';

class CommitStatsView {
  additions!: number;
  deletions!: number;
  total!: number;
}

/** The fields that all answers about commits have. */
class CommitSummaryView {
  id!: string;
  short_id!: string;
  title!: string;
  message!: string;
  author_name!: string;
  author_email!: string;
  committer_name!: string;
  committer_email!: string;
  /** The committer's date with its offset. */
  created_at!: string;
  /** The combined status of the commit, null when it has none. */
  status!: string | null;
}

/** A commit in a list (docs/reference/commits.md#the-commit-object). */
export class CommitListItemView extends CommitSummaryView {
  allow_failure!: boolean;
}

/** One commit (docs/reference/commits.md#the-commit-object). */
export class CommitView extends CommitSummaryView {
  parent_ids!: string[];
  committed_date!: string;
  authored_date!: string;
  stats!: CommitStatsView;
}

/** The commit that a branch or tag points at (docs/reference/branches.md#the-branch-object). */
export class RefCommitView {
  id!: string;
  parent_ids!: string[];
  message!: string;
  author_name!: string;
  author_email!: string;
  authored_date!: string;
  committer_name!: string;
  committer_email!: string;
  committed_date!: string;
}

/** An author of commits (docs/reference/commits.md#get-projectsidrepositorycontributors). */
export class ContributorView {
  /** As in the newest of the commits. */
  name!: string;
  email!: string;
  commits!: number;
  /** Not counted: always 0. */
  additions!: number;
  /** Not counted: always 0. */
  deletions!: number;
}

export const presentContributor = (contributor: Contributor): ContributorView => ({
  ...contributor,
  additions: 0,
  deletions: 0,
});

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
