import { ApiProperty } from '../../../../platform/http/index.js';

/** Key-value lines at the end of a message. */
const TRAILERS = { type: 'object', additionalProperties: { type: 'string' } } as const;
const EXTENDED_TRAILERS = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
} as const;

export class V4CommitStatsView {
  additions!: number;
  deletions!: number;
  total!: number;
}

/** A commit, as lists and other objects have it. */
export class V4CommitView {
  id!: string;
  /** The first eight digits of the hash. */
  short_id!: string;
  /** The committer's date with its offset. */
  created_at!: string;
  parent_ids!: string[];
  /** The first line of the message. */
  title!: string;
  message!: string;
  author_name!: string;
  author_email!: string;
  authored_date!: string;
  committer_name!: string;
  committer_email!: string;
  committed_date!: string;
  /** The last trailer of each name, in lists that ask for them; else empty. */
  @ApiProperty(TRAILERS)
  trailers!: Record<string, string>;
  /** All trailers of each name, in lists that ask for them; else empty. */
  @ApiProperty(EXTENDED_TRAILERS)
  extended_trailers!: Record<string, string[]>;
  /** The page of the commit. */
  web_url!: string;
}

/** A commit of the list of commits. */
export class V4ListedCommitView extends V4CommitView {
  /** Changed lines, at `with_stats=true`. */
  stats?: V4CommitStatsView;
}

/** The number of a commit in its history. */
export class V4CommitSequenceView {
  /** The commits that it reaches, itself included. */
  count!: number;
}

/** The answer to a check of a cherry-pick or revert that can be done. */
export class V4DryRunView {
  /** Always `success`. */
  dry_run!: string;
}

/** The statuses of a commit on one ref, as other objects show them. */
export class V4PipelineView {
  /** Of the first status. */
  id!: number;
  project_id!: number;
  sha!: string;
  ref!: string;
  /** The combined status. */
  status!: string;
  /** Always `external`. */
  source!: string;
  /** Of the first status. */
  created_at!: Date;
  /** Of the newest change. */
  updated_at!: Date;
  /** The first `target_url` of the statuses, or the page of the commit. */
  web_url!: string;
}

/** One commit. */
export class V4CommitDetailView extends V4CommitView {
  /** Changed lines; left out at `stats=false`. */
  stats?: V4CommitStatsView;
  /** The combined status of the commit, null when it has none. */
  status!: string | null;
  project_id!: number;
  /** The newest pipeline of the commit. */
  last_pipeline!: V4PipelineView | null;
}

/** A branch or tag that contains a commit. */
export class V4CommitRefView {
  type!: 'branch' | 'tag';
  name!: string;
}

/** An author of commits. */
export class V4ContributorView {
  /** As in the newest of the commits. */
  name!: string;
  email!: string;
  commits!: number;
  /** Not counted: always 0. */
  additions!: number;
  /** Not counted: always 0. */
  deletions!: number;
}
