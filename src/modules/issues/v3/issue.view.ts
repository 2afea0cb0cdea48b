import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import {
  type IssuablePresenter,
  MilestoneView,
  presentMilestone,
  PresentsIssuables,
} from '../../issuables/v3/index.js';
import { summarizeUser, UserSummaryView } from '../../users/v3/index.js';
import type { IssueWithRelations } from '../model/issues.repository.js';

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
  /** The first one. */
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
  /** For its author, its assignees and members from reporter on. */
  confidential!: boolean;
}

export const presentIssue = (
  { issuable: issue, labels, milestone, author, assignees, counters }: IssueWithRelations,
  urls: Urls,
): IssueView => ({
  id: issue.id,
  iid: issue.iid,
  project_id: issue.projectId,
  title: issue.title,
  description: issue.description,
  state: issue.state,
  created_at: issue.createdAt,
  updated_at: issue.updatedAt,
  labels: labels.map(({ name }) => name),
  milestone: milestone && presentMilestone(milestone),
  assignee: assignees[0] === undefined ? null : summarizeUser(assignees[0], urls),
  author: summarizeUser(author, urls),
  subscribed: counters.subscribed,
  user_notes_count: counters.userNotesCount,
  upvotes: counters.upvotes,
  downvotes: counters.downvotes,
  due_date: issue.dueDate,
  web_url: urls.web(...issue.projectPath.split('/'), 'issues', String(issue.iid)),
  confidential: issue.confidential,
});

/** Presents issues where either kind may stand. */
@Injectable()
@PresentsIssuables()
export class IssuePresenter implements IssuablePresenter {
  readonly type = 'Issue';

  constructor(private readonly urls: Urls) {}

  present(issue: IssueWithRelations): IssueView {
    return presentIssue(issue, this.urls);
  }
}
