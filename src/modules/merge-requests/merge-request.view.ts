import { MilestoneView } from '../issuables/index.js';
import { UserSummaryView } from '../users/index.js';

/** A merge request (docs/reference/merge-requests.md#the-merge-request-object). */
export class MergeRequestView {
  id!: number;
  /** Number within the target project. */
  iid!: number;
  /** The target project. */
  project_id!: number;
  title!: string;
  description!: string | null;
  /** `opened`, `reopened`, `closed` or `merged`. */
  state!: string;
  created_at!: Date;
  updated_at!: Date;
  target_branch!: string;
  source_branch!: string;
  upvotes!: number;
  downvotes!: number;
  author!: UserSummaryView;
  assignee!: UserSummaryView | null;
  /** Null once it is removed. */
  source_project_id!: number | null;
  target_project_id!: number;
  /** Names, in alphabetical order. */
  labels!: string[];
  /** By its title: such a request is not accepted. */
  work_in_progress!: boolean;
  milestone!: MilestoneView | null;
  merge_when_build_succeeds!: boolean;
  /** `unchecked`, `can_be_merged` or `cannot_be_merged`. */
  merge_status!: string;
  /** Head of the newest version. */
  sha!: string | null;
  merge_commit_sha!: string | null;
  /** Whether the caller is. */
  subscribed!: boolean;
  /** Without the notes that the service wrote. */
  user_notes_count!: number;
  /** Said by who accepted it to be merged when the build succeeds. */
  should_remove_source_branch!: boolean;
  /** Said by who made or changed it. */
  force_remove_source_branch!: boolean;
  web_url!: string;
}
