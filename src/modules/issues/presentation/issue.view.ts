import { MilestoneView } from '../../issuables/index.js';
import { UserSummaryView } from '../../users/index.js';

/** An issue (docs/reference/issues.md#the-issue-object). */
export class IssueView {
  id!: number;
  /** Number within the project. */
  iid!: number;
  project_id!: number;
  title!: string;
  description!: string | null;
  /** `opened` or `closed`. */
  state!: string;
  created_at!: Date;
  updated_at!: Date;
  /** Names, in alphabetical order. */
  labels!: string[];
  milestone!: MilestoneView | null;
  assignee!: UserSummaryView | null;
  author!: UserSummaryView;
  /** Whether the caller is. */
  subscribed!: boolean;
  /** Without the notes that the service wrote. */
  user_notes_count!: number;
  upvotes!: number;
  downvotes!: number;
  /** A day, `YYYY-MM-DD`. */
  due_date!: string | null;
  web_url!: string;
  /** For its author, its assignee and members from reporter on. */
  confidential!: boolean;
}
