import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import { LastActivities, type StateChange } from '../../issuables/index.js';
import {
  type ListPlace,
  NO_TIME,
  presentReferences,
  presentTasks,
  presentV4Milestone,
  type V4IssuablePresenter,
  V4MilestoneView,
  V4PresentsIssuables,
  V4ReferencesView,
  V4TaskCompletionView,
  V4TimeStatsView,
} from '../../issuables/v4/index.js';
import { ProtectedBranchesService } from '../../repository/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import { type DetailedMergeStatus, DetailedStatuses } from '../accept/detailed-status.js';
import { isWorkInProgress, type MergeRequestVersion } from '../model/merge-request.entity.js';
import type { MergeRequestWithRelations } from '../model/merge-requests.repository.js';
import { VersionsService } from '../versions/versions.service.js';

/** A merge request. */
export class V4MergeRequestView {
  id!: number;
  /** Number within the target project. */
  iid!: number;
  /** The target project. */
  project_id!: number;
  title!: string;
  description!: string | null;
  /** `opened`, `closed` or `merged`. */
  state!: string;
  created_at!: Date;
  updated_at!: Date;
  /** The same as `merge_user` of a merged request. */
  merged_by!: V4UserBasicView | null;
  /** The user who merged it, or in whose name it is merged when the pipeline succeeds. */
  merge_user!: V4UserBasicView | null;
  /** Null also if nothing was recorded, as for imported requests. */
  merged_at!: Date | null;
  closed_by!: V4UserBasicView | null;
  closed_at!: Date | null;
  target_branch!: string;
  source_branch!: string;
  /** Without system notes. */
  user_notes_count!: number;
  upvotes!: number;
  downvotes!: number;
  author!: V4UserBasicView;
  assignees!: V4UserBasicView[];
  /** The first of `assignees`. */
  assignee!: V4UserBasicView | null;
  /** Always empty. */
  reviewers!: V4UserBasicView[];
  /** Null once it is deleted. */
  source_project_id!: number | null;
  target_project_id!: number;
  /** Names, in alphabetical order. */
  labels!: string[];
  /** Whether the title marks it as a draft; it cannot be merged then. */
  draft!: boolean;
  /** Always false. */
  imported!: boolean;
  /** Always `none`. */
  imported_from!: string;
  /** The same as `draft`. */
  work_in_progress!: boolean;
  milestone!: V4MilestoneView | null;
  merge_when_pipeline_succeeds!: boolean;
  /** `unchecked`, `can_be_merged` or `cannot_be_merged`. */
  merge_status!: string;
  /**
   * What a merge would meet first: `not_open`, `draft_status`, `ci_still_running`, `ci_must_pass`, `unchecked`,
   * `conflict` or, if nothing, `mergeable`.
   */
  detailed_merge_status!: string;
  /** Head of the newest version. */
  sha!: string | null;
  merge_commit_sha!: string | null;
  /** Always null. */
  squash_commit_sha!: string | null;
  /** Always null: discussions are not locked. */
  discussion_locked!: boolean | null;
  /** Sent by the user who accepted it to be merged when the pipeline succeeds. */
  should_remove_source_branch!: boolean | null;
  /** Sent by the user who created or last updated it. */
  force_remove_source_branch!: boolean | null;
  /** When its branches were compared: at its creation. */
  prepared_at!: Date;
  /** Its short reference: `!1`. */
  reference!: string;
  references!: V4ReferencesView;
  web_url!: string;
  time_stats!: V4TimeStatsView;
  /** Always false. */
  squash!: boolean;
  /** Always false. */
  squash_on_merge!: boolean;
  task_completion_status!: V4TaskCompletionView;
  /** Whether it cannot be merged. */
  has_conflicts!: boolean;
  /** Always true: there are no discussions to resolve. */
  blocking_discussions_resolved!: boolean;
}

/** The commits that the newest version of a merge request compares. */
export class V4DiffRefsView {
  /** The merge base. */
  base_sha!: string | null;
  /** Head of the source branch. */
  head_sha!: string;
  /** Head of the target branch. */
  start_sha!: string;
}

/** What the caller may do with a merge request. */
export class V4MergeRequestUserView {
  can_merge!: boolean;
}

/** A single merge request. */
export class V4SingleMergeRequestView extends V4MergeRequestView {
  /** Whether the caller is subscribed. */
  subscribed!: boolean;
  /** The number of changed files, followed by `+` when the list is cut; null without commits. */
  changes_count!: string | null;
  /** Always null. */
  latest_build_started_at!: Date | null;
  /** Always null. */
  latest_build_finished_at!: Date | null;
  /** Always null. */
  first_deployed_to_production_at!: Date | null;
  /** Always null. */
  pipeline!: object | null;
  /** Always null. */
  head_pipeline!: object | null;
  /** Null when its branches never existed. */
  diff_refs!: V4DiffRefsView | null;
  /** Always null. */
  merge_error!: string | null;
  user!: V4MergeRequestUserView;
  /** Present if it is asked for; always false. */
  rebase_in_progress?: boolean;
}

const DETAILED: Readonly<Record<DetailedMergeStatus, string>> = {
  mergeable: 'mergeable',
  'not-open': 'not_open',
  draft: 'draft_status',
  'build-running': 'ci_still_running',
  'build-missing': 'ci_must_pass',
  unchecked: 'unchecked',
  'not-mergeable': 'conflict',
};

/** What the views of some requests need besides them. */
interface Context {
  readonly ends: ReadonlyMap<number, StateChange>;
  readonly statuses: ReadonlyMap<number, DetailedMergeStatus>;
  readonly waiting: ReadonlyMap<number, User>;
  readonly place: ListPlace;
}

@Injectable()
@V4PresentsIssuables()
export class V4MergeRequestPresenter implements V4IssuablePresenter {
  readonly type = 'MergeRequest';

  constructor(
    private readonly activities: LastActivities,
    private readonly statuses: DetailedStatuses,
    private readonly versions: VersionsService,
    private readonly protectedBranches: ProtectedBranchesService,
    private readonly accounts: UsersRepository,
    private readonly users: V4UserPresenter,
    private readonly urls: Urls,
  ) {}

  /** Presents merge requests as items of a list. @param place where the list is read */
  async presentAll(
    requests: readonly MergeRequestWithRelations[],
    place: ListPlace = 'project',
  ): Promise<V4MergeRequestView[]> {
    const rows = requests.map(({ issuable }) => issuable);
    const ended = rows.filter(({ state }) => state === 'closed' || state === 'merged');
    const mergers = rows.flatMap((row) => (row.mergeWhenBuildSucceeds && row.mergeUserId) || []);
    const context: Context = {
      ends: await this.activities.find(
        'MergeRequest',
        ended.map(({ id }) => id),
      ),
      statuses: await this.statuses.find(rows),
      waiting: mergers.length === 0 ? new Map() : await this.accounts.findAuthors(mergers),
      place,
    };
    return requests.map((request) => this.present(request, context));
  }

  /** Presents a single merge request to a user with this access to its project. */
  async presentOne(
    request: MergeRequestWithRelations,
    access: ProjectAccess,
  ): Promise<V4SingleMergeRequestView> {
    const { issuable, counters } = request;
    const [view] = await this.presentAll([request]);
    const version = await this.versions.findNewest(issuable);
    return {
      ...(view as V4MergeRequestView),
      subscribed: counters.subscribed,
      changes_count: version?.realSize ?? null,
      latest_build_started_at: null,
      latest_build_finished_at: null,
      first_deployed_to_production_at: null,
      pipeline: null,
      head_pipeline: null,
      diff_refs: version && presentDiffRefs(version),
      merge_error: null,
      user: { can_merge: await this.protectedBranches.mayMerge(access, issuable.targetBranch) },
    };
  }

  private present(
    { issuable: request, labels, milestone, author, assignee, counters }: MergeRequestWithRelations,
    { ends, statuses, waiting, place }: Context,
  ): V4MergeRequestView {
    const { id, iid, projectPath, state } = request;
    const end = ends.get(id);
    const by = end === undefined ? null : this.users.basic(end.user);
    const merger = waiting.get(request.mergeUserId ?? 0);
    const assigned = assignee && this.users.basic(assignee);
    const reference = `!${String(iid)}`;
    const [isMerged, isClosed] = [state === 'merged', state === 'closed'];
    const isDraft = isWorkInProgress(request.title);
    return {
      id,
      iid,
      project_id: request.projectId,
      title: request.title,
      description: request.description,
      state: state === 'reopened' ? 'opened' : state,
      created_at: request.createdAt,
      updated_at: request.updatedAt,
      merged_by: isMerged ? by : null,
      merge_user: isMerged ? by : merger === undefined ? null : this.users.basic(merger),
      merged_at: (isMerged && end?.at) || null,
      closed_by: isClosed ? by : null,
      closed_at: (isClosed && end?.at) || null,
      target_branch: request.targetBranch,
      source_branch: request.sourceBranch,
      user_notes_count: counters.userNotesCount,
      upvotes: counters.upvotes,
      downvotes: counters.downvotes,
      author: this.users.basic(author),
      assignees: assigned === null ? [] : [assigned],
      assignee: assigned,
      reviewers: [],
      source_project_id: request.sourceProjectId,
      target_project_id: request.projectId,
      labels: labels.map(({ name }) => name),
      draft: isDraft,
      imported: false,
      imported_from: 'none',
      work_in_progress: isDraft,
      milestone: milestone && presentV4Milestone(milestone, projectPath, this.urls),
      merge_when_pipeline_succeeds: request.mergeWhenBuildSucceeds,
      merge_status: request.mergeStatus,
      detailed_merge_status: DETAILED[statuses.get(id) ?? 'unchecked'],
      sha: request.headSha,
      merge_commit_sha: request.mergeCommitSha,
      squash_commit_sha: null,
      discussion_locked: null,
      should_remove_source_branch: request.shouldRemoveSourceBranch,
      force_remove_source_branch: request.forceRemoveSourceBranch,
      prepared_at: request.createdAt,
      reference,
      references: presentReferences(reference, projectPath, place),
      web_url: this.urls.web(...projectPath.split('/'), '-', 'merge_requests', String(iid)),
      time_stats: NO_TIME,
      squash: false,
      squash_on_merge: false,
      task_completion_status: presentTasks(request.description),
      has_conflicts: request.mergeStatus === 'cannot_be_merged',
      blocking_discussions_resolved: true,
    };
  }
}

const presentDiffRefs = (version: MergeRequestVersion): V4DiffRefsView => ({
  base_sha: version.baseCommitSha,
  head_sha: version.headCommitSha,
  start_sha: version.startCommitSha,
});
