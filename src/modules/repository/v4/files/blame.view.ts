import type { Commit } from '../../../../git/index.js';
import type { BlamedGroup } from '../../files/blame.service.js';
import { formatGitDate } from '../../shared/git-date.js';

/** A commit, as the lines that it brought have it. */
export class V4BlamedCommitView {
  id!: string;
  parent_ids!: string[];
  /** Cut as in lists of commits. */
  message!: string;
  authored_date!: string;
  author_name!: string;
  author_email!: string;
  committed_date!: string;
  committer_name!: string;
  committer_email!: string;
}

/** Consecutive lines of a file that one commit brought. */
export class V4BlameRangeView {
  commit!: V4BlamedCommitView;
  /** Without line ends. */
  lines!: string[];
}

export const presentBlame = ({ commit, lines }: BlamedGroup): V4BlameRangeView => ({
  commit: presentBlamedCommit(commit),
  lines,
});

const presentBlamedCommit = (commit: Commit): V4BlamedCommitView => ({
  id: commit.oid,
  parent_ids: commit.parents,
  message: commit.message,
  authored_date: formatGitDate(commit.author),
  author_name: commit.author.name,
  author_email: commit.author.email,
  committed_date: formatGitDate(commit.committer),
  committer_name: commit.committer.name,
  committer_email: commit.committer.email,
});
