import { V4MilestoneView } from '../../issuables/v4/index.js';
import { V4CommitView } from '../../repository/v4/index.js';
import { V4UserBasicView } from '../../users/v4/index.js';

/** A link of a release to one of its assets. */
export class V4ReleaseLinkView {
  id!: number;
  name!: string;
  url!: string;
  /** The address at this service that redirects to `url`, if the link has a path; else `url`. */
  direct_asset_url!: string;
  /** `other`, `runbook`, `image` or `package`. */
  link_type!: string;
}

/** An archive of the tag. */
export class V4ReleaseSourceView {
  format!: string;
  url!: string;
}

/** The assets of a release without those that have its code. */
export class V4LinkedAssetsView {
  count!: number;
  /** The newest first. */
  links!: V4ReleaseLinkView[];
}

export class V4ReleaseAssetsView extends V4LinkedAssetsView {
  sources!: V4ReleaseSourceView[];
}

export class V4IssueStatsView {
  total!: number;
  closed!: number;
}

/** A milestone of a release. */
export class V4ReleaseMilestoneView extends V4MilestoneView {
  /** Its issues that are not confidential; counted up to 10,000. */
  issue_stats!: V4IssueStatsView;
}

/** Addresses of pages. */
export class V4ReleaseLinksView {
  closed_issues_url!: string;
  closed_merge_requests_url!: string;
  /** For those who may change the release. */
  edit_url?: string;
  merged_merge_requests_url!: string;
  opened_issues_url!: string;
  opened_merge_requests_url!: string;
  self!: string;
}

/** A release without its tag and commit, for those who may not read the code. */
export class V4ReleaseForGuestView {
  /** `Release-` with the ID where it is the name of the tag. */
  name!: string;
  /** `""` where none is given. */
  description!: string;
  created_at!: Date;
  released_at!: Date;
  /** Whether `released_at` is in the future. */
  upcoming_release!: boolean;
  /** Null where version 0.2.0 created it. */
  author!: V4UserBasicView | null;
  /** Left out where there are none. */
  milestones?: V4ReleaseMilestoneView[];
  assets!: V4LinkedAssetsView;
  /** Always empty: no evidence is collected. */
  evidences!: object[];
  /** Empty: the addresses have the tag. */
  _links!: object;
}

/** A release. */
export class V4ReleaseView extends V4ReleaseForGuestView {
  /** By default the name of the tag. */
  override name!: string;
  tag_name!: string;
  override assets!: V4ReleaseAssetsView;
  /** Null for a tag that marks no commit. */
  commit!: V4CommitView | null;
  /** Left out for a tag that marks no commit. */
  commit_path?: string;
  tag_path!: string;
  /** Addresses of pages. */
  override _links!: V4ReleaseLinksView;
}
