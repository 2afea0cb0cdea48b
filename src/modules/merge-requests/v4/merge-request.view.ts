import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import type { ProjectAccess, Subject } from '../../authorization/index.js';
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
import { ProtectedBranchesService } from '../../repository/index.js';
import {
  V4CommitPresenter,
  V4PipelineDetailView,
  V4PipelinePresenter,
  V4PipelineView,
} from '../../repository/v4/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import {
  type DetailedMergeStatus,
  DetailedStatuses,
  type MergeOutlook,
} from '../accept/detailed-status.js';
import {
  isWorkInProgress,
  type MergeRequestState,
  type MergeRequestVersion,
  type RebaseProblem,
} from '../model/merge-request.entity.js';
import type { MergeRequestWithRelations } from '../model/merge-requests.repository.js';
import { RebasesService } from '../rebases/rebases.service.js';
import { MergeRequestPipelines } from '../versions/merge-request-pipelines.js';
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
   * What a merge would meet first: `not_open`, `draft_status`, `discussions_not_resolved`, `ci_still_running`, `ci_must_pass`,
   * `not_approved`, `unchecked`, `conflict`, `need_rebase` or, if nothing, `mergeable`. Without a credential builds are left out.
   */
  detailed_merge_status!: string;
  /** Head of the newest version. */
  sha!: string | null;
  /** Null also for one that was merged without a merge commit. */
  merge_commit_sha!: string | null;
  /** The squash commit that was merged. */
  squash_commit_sha!: string | null;
  /** Always null: discussions are not locked. */
  discussion_locked!: boolean | null;
  /** Sent by the user who accepted it to be merged when the pipeline succeeds. */
  should_remove_source_branch!: boolean | null;
  /** Sent by the user who created or last updated it. */
  force_remove_source_branch!: boolean | null;
  /** Always false; of requests from another project. */
  allow_collaboration?: boolean;
  /** The same. */
  allow_maintainer_to_push?: boolean;
  /** When its branches were compared: at its creation. */
  prepared_at!: Date;
  /** Its short reference: `!1`. */
  reference!: string;
  references!: V4ReferencesView;
  web_url!: string;
  time_stats!: V4TimeStatsView;
  /** Whether the merge is to squash; the project may say otherwise. */
  squash!: boolean;
  /** Whether it squashes. */
  squash_on_merge!: boolean;
  task_completion_status!: V4TaskCompletionView;
  /** Whether it cannot be merged. */
  has_conflicts!: boolean;
  /** False if the project requires resolved threads, and one is not. */
  blocking_discussions_resolved!: boolean;
}

/** A merge request of a list with `view=simple`. */
export class V4SimpleMergeRequestView {
  id!: number;
  iid!: number;
  project_id!: number;
  title!: string;
  description!: string | null;
  state!: string;
  created_at!: Date;
  updated_at!: Date;
  web_url!: string;
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
  /** Of `head_pipeline`, like the next one. */
  latest_build_started_at!: Date | null;
  latest_build_finished_at!: Date | null;
  /** Always null. */
  first_deployed_to_production_at!: Date | null;
  /** The same as `head_pipeline`, in short. */
  pipeline!: V4PipelineView | null;
  /** The pipeline of its head on its source branch; null for callers who may not read it. */
  head_pipeline!: V4PipelineDetailView | null;
  /** Null when its branches never existed. */
  diff_refs!: V4DiffRefsView | null;
  /** Why the last rebase failed; null while one is in progress, after one that succeeded, and once it is merged. */
  merge_error!: string | null;
  user!: V4MergeRequestUserView;
  /** Whether a rebase is waiting or running; present if it is asked for. */
  rebase_in_progress?: boolean;
  /** How many commits of the target branch its head lacks, up to 10,000; present if it is asked for. */
  diverged_commits_count?: number;
}

/** A rebase that was asked for. */
export class V4RebaseView {
  rebase_in_progress!: boolean;
}

const DETAILED: Readonly<Record<DetailedMergeStatus, string>> = {
  mergeable: 'mergeable',
  'not-open': 'not_open',
  draft: 'draft_status',
  'discussions-unresolved': 'discussions_not_resolved',
  'build-running': 'ci_still_running',
  'build-missing': 'ci_must_pass',
  'not-approved': 'not_approved',
  unchecked: 'unchecked',
  'not-mergeable': 'conflict',
  'needs-rebase': 'need_rebase',
};

export const presentDetailedStatus = (outlook: MergeOutlook | undefined): string =>
  DETAILED[outlook?.status ?? 'unchecked'];

const MERGE_ERRORS: Readonly<Record<RebaseProblem, string>> = {
  'branch-missing': 'Rebase failed: Source or target branch does not exist.',
  conflict: 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.',
  failed: 'Rebase failed: Please try again.',
  moved: 'Rebase failed: The source branch has changed meanwhile.',
  'not-open': 'Rebase failed: The merge request is not open.',
  'not-permitted': 'Rebase failed: Cannot push to source branch.',
  'objects-refused': 'Rebase failed: The commits are refused by the checks of pushes.',
  'storage-limit': 'Rebase failed: The source project has reached its storage limit.',
  'too-large': 'Rebase failed: The changes are too large. Rebase locally, then push the branch.',
  'too-many-commits':
    'Rebase failed: The source branch has more than 1,000 commits. Rebase locally, then push the branch.',
};

/** What the views of some requests need besides them. */
interface Context {
  readonly ends: ReadonlyMap<number, StateChange>;
  readonly outlooks: ReadonlyMap<number, MergeOutlook>;
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
    private readonly rebases: RebasesService,
    private readonly requestPipelines: MergeRequestPipelines,
    private readonly commits: V4CommitPresenter,
    private readonly pipelines: V4PipelinePresenter,
    private readonly protectedBranches: ProtectedBranchesService,
    private readonly accounts: UsersRepository,
    private readonly users: V4UserPresenter,
    private readonly urls: Urls,
  ) {}

  /** Presents merge requests as items of a list. */
  async presentAll(
    requests: readonly MergeRequestWithRelations[],
    { reader, place = 'project' }: ListReading,
  ): Promise<V4MergeRequestView[]> {
    const rows = requests.map(({ issuable }) => issuable);
    const ended = rows.filter(({ state }) => state === 'closed' || state === 'merged');
    const mergers = rows.flatMap((row) => (row.mergeWhenBuildSucceeds && row.mergeUserId) || []);
    const context: Context = {
      ends: await this.activities.find(
        'MergeRequest',
        ended.map(({ id }) => id),
      ),
      outlooks: await this.statuses.find(rows, reader),
      waiting: mergers.length === 0 ? new Map() : await this.accounts.findAuthors(mergers),
      place,
    };
    return requests.map((request) => this.present(request, context));
  }

  /** Presents a merge request as an item of a list with few fields. */
  presentSimply({ issuable: request }: MergeRequestWithRelations): V4SimpleMergeRequestView {
    return {
      id: request.id,
      iid: request.iid,
      project_id: request.projectId,
      title: request.title,
      description: request.description,
      state: shownState(request.state),
      created_at: request.createdAt,
      updated_at: request.updatedAt,
      web_url: this.addressOf(request),
    };
  }

  /** Presents a single merge request. @param access of the reader to its project */
  async presentOne(
    request: MergeRequestWithRelations,
    access: ProjectAccess,
    reader: Subject,
  ): Promise<V4SingleMergeRequestView> {
    const { issuable, counters } = request;
    const [view] = await this.presentAll([request], { reader });
    const version = await this.versions.findNewest(issuable);
    // Builds are not public.
    const rebaseProblem = await this.rebases.findProblem(issuable);
    const head = reader && (await this.requestPipelines.findHead(issuable, access, reader));
    return {
      ...(view as V4MergeRequestView),
      subscribed: counters.subscribed,
      changes_count: version?.realSize ?? null,
      latest_build_started_at: head?.pipeline.startedAt ?? null,
      latest_build_finished_at: head?.pipeline.finishedAt ?? null,
      first_deployed_to_production_at: null,
      pipeline: head && this.commits.pipeline(head.source, head.pipeline),
      head_pipeline: head && this.pipelines.detail(head.source, head.pipeline),
      diff_refs: version && presentDiffRefs(version),
      merge_error: rebaseProblem && MERGE_ERRORS[rebaseProblem],
      user: { can_merge: await this.protectedBranches.mayMerge(access, issuable.targetBranch) },
    };
  }

  private present(
    {
      issuable: request,
      labels,
      milestone,
      author,
      counters,
      ...people
    }: MergeRequestWithRelations,
    { ends, outlooks, waiting, place }: Context,
  ): V4MergeRequestView {
    const { id, iid, projectPath, state } = request;
    const outlook = outlooks.get(id);
    const end = ends.get(id);
    const by = end === undefined ? null : this.users.basic(end.user);
    const merger = waiting.get(request.mergeUserId ?? 0);
    const assignees = people.assignees.map((user) => this.users.basic(user));
    const reference = `!${String(iid)}`;
    const [isMerged, isClosed] = [state === 'merged', state === 'closed'];
    const isDraft = isWorkInProgress(request.title);
    return {
      id,
      iid,
      project_id: request.projectId,
      title: request.title,
      description: request.description,
      state: shownState(state),
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
      assignees,
      assignee: assignees[0] ?? null,
      reviewers: people.reviewers.map((user) => this.users.basic(user)),
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
      detailed_merge_status: presentDetailedStatus(outlook),
      sha: request.headSha,
      merge_commit_sha: request.mergeCommitSha,
      squash_commit_sha: request.squashCommitSha,
      discussion_locked: request.discussionLocked,
      should_remove_source_branch: request.shouldRemoveSourceBranch,
      force_remove_source_branch: request.forceRemoveSourceBranch,
      ...(request.sourceProjectId !== request.projectId && {
        allow_collaboration: false,
        allow_maintainer_to_push: false,
      }),
      prepared_at: request.createdAt,
      reference,
      references: presentReferences(reference, projectPath, place),
      web_url: this.addressOf(request),
      time_stats: presentTime(request),
      squash: request.squash,
      squash_on_merge: outlook?.squashes ?? false,
      task_completion_status: presentTasks(request.description),
      has_conflicts: request.mergeStatus === 'cannot_be_merged',
      blocking_discussions_resolved: outlook?.awaitsResolution !== true,
    };
  }

  private addressOf({ projectPath, iid }: MergeRequestWithRelations['issuable']): string {
    return this.urls.web(...projectPath.split('/'), '-', 'merge_requests', String(iid));
  }
}

const shownState = (state: MergeRequestState): string => (state === 'reopened' ? 'opened' : state);

const presentDiffRefs = (version: MergeRequestVersion): V4DiffRefsView => ({
  base_sha: version.baseCommitSha,
  head_sha: version.headCommitSha,
  start_sha: version.startCommitSha,
});
