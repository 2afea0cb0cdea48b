import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import { LastActivities, type StateChange } from '../../issuables/index.js';
import {
  type ListPlace,
  type ListReading,
  presentReferences,
  presentTasks,
  presentTime,
  presentV4Milestone,
  type V4IssuablePresenter,
  V4MilestoneView,
  V4PresentsIssuables,
  V4ReferencesView,
  V4TaskCompletionView,
  V4TimeStatsView,
} from '../../issuables/v4/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import type { IssueWithRelations } from '../model/issues.repository.js';

/** Addresses of an issue in the API. */
export class V4IssueLinksView {
  self!: string;
  notes!: string;
  award_emoji!: string;
  project!: string;
}

/** An issue. */
export class V4IssueView {
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
  /** Null also if nothing was recorded, as for imported issues. */
  closed_at!: Date | null;
  closed_by!: V4UserBasicView | null;
  /** Names, in alphabetical order. */
  labels!: string[];
  milestone!: V4MilestoneView | null;
  assignees!: V4UserBasicView[];
  author!: V4UserBasicView;
  /** Always `ISSUE`. */
  type!: string;
  /** The first of `assignees`. */
  assignee!: V4UserBasicView | null;
  /** Without the notes that the service wrote. */
  user_notes_count!: number;
  /** Always 0: merge requests that close it are not counted. */
  merge_requests_count!: number;
  upvotes!: number;
  downvotes!: number;
  /** A day, `YYYY-MM-DD`. */
  due_date!: string | null;
  /** For its author, its assignees and members from reporter on. */
  confidential!: boolean;
  /** Always null: discussions are not locked. */
  discussion_locked!: boolean | null;
  /** Always `issue`. */
  issue_type!: string;
  web_url!: string;
  time_stats!: V4TimeStatsView;
  task_completion_status!: V4TaskCompletionView;
  _links!: V4IssueLinksView;
  references!: V4ReferencesView;
  /** Always `UNKNOWN`. */
  severity!: string;
  /** ID of the issue that it was moved to. */
  moved_to_id!: number | null;
  /** Always false. */
  imported!: boolean;
  /** Always `none`. */
  imported_from!: string;
  /** Always null. */
  service_desk_reply_to!: string | null;
}

/** A single issue. */
export class V4SingleIssueView extends V4IssueView {
  /** Whether the caller is subscribed. */
  subscribed!: boolean;
}

@Injectable()
@V4PresentsIssuables()
export class V4IssuePresenter implements V4IssuablePresenter {
  readonly type = 'Issue';

  constructor(
    private readonly activities: LastActivities,
    private readonly users: V4UserPresenter,
    private readonly urls: Urls,
  ) {}

  /** Presents issues as items of a list. */
  async presentAll(
    issues: readonly IssueWithRelations[],
    { place = 'project' }: Pick<ListReading, 'place'> = {},
  ): Promise<V4IssueView[]> {
    const closed = issues.filter(({ issuable }) => issuable.state === 'closed');
    const ids = closed.map(({ issuable }) => issuable.id);
    const closings = await this.activities.find('Issue', ids);
    return issues.map((issue) => this.present(issue, closings.get(issue.issuable.id), place));
  }

  async presentOne(issue: IssueWithRelations): Promise<V4SingleIssueView> {
    const [view] = await this.presentAll([issue]);
    return { ...(view as V4IssueView), subscribed: issue.counters.subscribed };
  }

  private present(
    { issuable: issue, labels, milestone, author, assignees, counters }: IssueWithRelations,
    closing: StateChange | undefined,
    place: ListPlace,
  ): V4IssueView {
    const assigned = assignees.map((user) => this.users.basic(user));
    const { iid, projectPath } = issue;
    const links = this.urls.web('api', 'v4', 'projects', String(issue.projectId));
    const self = `${links}/issues/${String(iid)}`;
    return {
      id: issue.id,
      iid,
      project_id: issue.projectId,
      title: issue.title,
      description: issue.description,
      state: issue.state,
      created_at: issue.createdAt,
      updated_at: issue.updatedAt,
      closed_at: closing?.at ?? null,
      closed_by: closing === undefined ? null : this.users.basic(closing.user),
      labels: labels.map(({ name }) => name),
      milestone: milestone && presentV4Milestone(milestone, projectPath, this.urls),
      assignees: assigned,
      author: this.users.basic(author),
      type: 'ISSUE',
      assignee: assigned[0] ?? null,
      user_notes_count: counters.userNotesCount,
      merge_requests_count: 0,
      upvotes: counters.upvotes,
      downvotes: counters.downvotes,
      due_date: issue.dueDate,
      confidential: issue.confidential,
      discussion_locked: issue.discussionLocked,
      issue_type: 'issue',
      web_url: this.urls.web(...projectPath.split('/'), '-', 'issues', String(iid)),
      time_stats: presentTime(issue),
      task_completion_status: presentTasks(issue.description),
      _links: {
        self,
        notes: `${self}/notes`,
        award_emoji: `${self}/award_emoji`,
        project: links,
      },
      references: presentReferences(`#${String(iid)}`, projectPath, place),
      severity: 'UNKNOWN',
      moved_to_id: issue.movedToId,
      imported: false,
      imported_from: 'none',
      service_desk_reply_to: null,
    };
  }
}
