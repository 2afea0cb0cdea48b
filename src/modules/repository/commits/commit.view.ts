export class CommitStatsView {
  additions!: number;
  deletions!: number;
  total!: number;
}

/** The fields that all answers about commits have. */
export class CommitSummaryView {
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
