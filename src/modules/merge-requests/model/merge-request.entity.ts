import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import type { ReplayProblem } from '../../../git/index.js';
import { Milestone } from '../../issuables/index.js';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';

/** `reopened` is an open state, too: the request was closed and opened again (docs/reference/merge-requests.md#states). */
export type MergeRequestState = 'opened' | 'reopened' | 'closed' | 'merged';

/** Why a rebase failed: what git says of the commits, or a reason around them. */
export type RebaseProblem =
  | ReplayProblem
  /** One of the branches does not exist any more. */
  | 'branch-missing'
  | 'failed'
  /** The source branch has moved meanwhile. */
  | 'moved'
  | 'not-open'
  /** The user may not push to the source branch by force any more, or not read the target branch. */
  | 'not-permitted'
  /** Git does not take the commits. */
  | 'objects-refused'
  | 'storage-limit';

export type MergeStatus = 'unchecked' | 'can_be_merged' | 'cannot_be_merged';

/** A merge request (docs/reference/merge-requests.md#the-merge-request-object). It belongs to its target project. */
@Entity('merge_requests')
@Index('merge_requests_iid_key', ['projectId', 'iid'], { unique: true })
@Index('merge_requests_source_project_idx', ['sourceProjectId'], {
  where: 'source_project_id IS NOT NULL',
})
@Index('merge_requests_author_idx', ['authorId', 'id'])
@Index('merge_requests_updated_by_idx', ['updatedById'], { where: 'updated_by_id IS NOT NULL' })
@Index('merge_requests_force_remove_by_idx', ['forceRemoveById'], {
  where: 'force_remove_by_id IS NOT NULL',
})
@Index('merge_requests_merge_user_idx', ['mergeUserId'], { where: 'merge_user_id IS NOT NULL' })
@Index('merge_requests_milestone_idx', ['milestoneId'], { where: 'milestone_id IS NOT NULL' })
// The orders of the lists.
@Index('merge_requests_created_idx', ['projectId', 'state', 'createdAt', 'id'], {
  where: 'deleted_at IS NULL',
})
@Index('merge_requests_updated_idx', ['projectId', 'state', 'updatedAt', 'id'], {
  where: 'deleted_at IS NULL',
})
// GIN indexes of assignees, reviewers and approvals; the migrations create them.
@Index('merge_requests_assignees_idx', { synchronize: false })
@Index('merge_requests_reviewers_idx', { synchronize: false })
@Index('merge_requests_approvals_idx', { synchronize: false })
// Indexes on open requests by the hashes of branch names; the migration creates them.
@Index('merge_requests_open_key', { synchronize: false })
@Index('merge_requests_target_idx', { synchronize: false })
export class MergeRequest {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'merge_requests_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  iid!: number;

  /** The target project. */
  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'merge_requests_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  /** The target project, or a fork of it; null once it is deleted. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Project, { name: 'merge_requests_source_project_fkey', onDelete: 'SET NULL' })
  sourceProjectId!: number | null;

  /** Without `refs/heads/`, like `targetBranch`. */
  @Column({ type: 'text' })
  sourceBranch!: string;

  @Column({ type: 'text' })
  targetBranch!: string;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'merge_requests_author_fkey' })
  authorId!: number;

  /** IDs of users, in the order in which they were given; `MAX_PEOPLE` at most, as of reviewers. */
  @Column({ type: 'int', array: true, default: '{}' })
  assigneeIds!: readonly number[];

  @Column({ type: 'int', array: true, default: '{}' })
  reviewerIds!: readonly number[];

  /**
   * IDs of the users who have approved it, in their order. A trigger clears them with another head or target branch, where
   * the project resets approvals (docs/decisions/0076-approvals.md).
   */
  @Column({ type: 'int', array: true, default: '{}' })
  approvedByIds!: readonly number[];

  /** The user who changed it last; null before the first change. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'merge_requests_updated_by_fkey' })
  updatedById!: number | null;

  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Milestone, { name: 'merge_requests_milestone_fkey', onDelete: 'SET NULL' })
  milestoneId!: number | null;

  @Column({ type: 'varchar', length: 255 })
  title!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'varchar', length: 8, default: 'opened' })
  state!: MergeRequestState;

  /** The result of the last check; it stays when the request is closed or merged. */
  @Column({ type: 'varchar', length: 20, default: 'unchecked' })
  mergeStatus!: MergeStatus;

  /** Head of the newest version. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  headSha!: string | null;

  @Column({ type: 'int', nullable: true })
  latestVersionId!: number | null;

  /** Head of the target branch that the merge status was found for, together with `headSha`. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  checkedTargetSha!: string | null;

  /** Null also for one that was merged by hand, or without a merge commit. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  mergeCommitSha!: string | null;

  /** The squash commit that was merged instead of the commits of the source branch. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  squashCommitSha!: string | null;

  /** The user who merged it, or in whose name it is merged when the build succeeds. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'merge_requests_merge_user_fkey' })
  mergeUserId!: number | null;

  @Column({ type: 'boolean', default: false })
  mergeWhenBuildSucceeds!: boolean;

  /** Whether a request that waits is merged without a build, too, once nothing else is missing. */
  @Column({ type: 'boolean', default: false })
  mergesWithoutBuild!: boolean;

  /** The message of the merge commit when the build succeeds; null is the default message. */
  @Column({ type: 'text', nullable: true })
  mergeCommitMessage!: string | null;

  /** Whether members of the project alone may comment; null while it was never set. */
  @Column({ type: 'boolean', nullable: true })
  discussionLocked!: boolean | null;

  /** Whether the merge is to squash, where the project leaves that to the request. */
  @Column({ type: 'boolean', default: false })
  squash!: boolean;

  /** The message of the squash commit when the build succeeds; null is the default message. */
  @Column({ type: 'text', nullable: true })
  squashCommitMessage!: string | null;

  /** Whether the user who accepted it asked for the removal of the source branch. See `SourceBranchRemoval`. */
  @Column({ type: 'boolean', default: false })
  shouldRemoveSourceBranch!: boolean;

  /**
   * Whether the request to merge contained `should_remove_source_branch`. Rows of older versions: only if it is
   * true.
   */
  @Column({ type: 'boolean', default: false })
  shouldRemoveGiven!: boolean;

  /** Whether the user who created or updated it asked for the removal of the source branch. */
  @Column({ type: 'boolean', default: false })
  forceRemoveSourceBranch!: boolean;

  /** The user who asked for that, with whose rights the branch is removed; without one it stays. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'merge_requests_force_remove_by_fkey' })
  forceRemoveById!: number | null;

  /**
   * Whether the request that created or changed it contained `remove_source_branch`. Rows of older versions: only
   * if it is true.
   */
  @Column({ type: 'boolean', default: false })
  forceRemoveGiven!: boolean;

  /** Why the last rebase failed; null while one is in progress, and after a rebase or merge that succeeded. */
  @Column({ type: 'varchar', length: 32, nullable: true })
  rebaseProblem!: RebaseProblem | null;

  /** The job of a rebase, which is in progress while the outbox has it; null once the result is recorded. */
  @Column({ type: 'bigint', nullable: true })
  rebaseJobId!: string | null;

  /** Seconds, as of the time that was spent. */
  @Column({ type: 'int', default: 0 })
  timeEstimate!: number;

  @Column({ type: 'int', default: 0 })
  totalTimeSpent!: number;

  /** Without system notes. Triggers maintain it, like the next two (docs/decisions/0042-kept-counters.md). */
  @Column({ type: 'int', default: 0 })
  userNotesCount!: number;

  @Column({ type: 'int', default: 0 })
  upvotes!: number;

  @Column({ type: 'int', default: 0 })
  downvotes!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Set by the services with every change of the request and every note on it. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Set: hidden from every reader. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}

/**
 * The numbers of merge requests of a target project by state, for totals of lists. Triggers maintain them
 * (docs/decisions/0042-kept-counters.md). There is no row for a project without merge requests.
 */
@Entity('merge_request_counts')
export class MergeRequestCount {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'merge_request_counts_pkey' })
  @ForeignKey(() => Project, { name: 'merge_request_counts_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  /** With those that were reopened. */
  @Column({ type: 'int' })
  opened!: number;

  @Column({ type: 'int' })
  closed!: number;

  @Column({ type: 'int' })
  merged!: number;
}

/** Whether the request can still be merged or closed. */
export const isOpen = ({ state }: Pick<MergeRequest, 'state'>): boolean =>
  state === 'opened' || state === 'reopened';

const MARKERS = String.raw`(?:\[WIP\]|WIP:|WIP\s|\[Draft\]|\(Draft\)|Draft:)`;
const MARKER = new RegExp(String.raw`\s*${MARKERS}\s*`, 'giy');

/** The regular expression of titles that mark drafts, for PostgreSQL; without case. */
export const DRAFT_TITLE = String.raw`^\s*${MARKERS}`;

/** Returns where the markers of drafts end with which a title begins. */
function endOfMarkers(title: string): number {
  let end = 0;
  for (const [marker] of title.matchAll(MARKER)) end += marker.length;
  return end;
}

/** Whether a title marks the request as work in progress (docs/reference/merge-requests.md#work-in-progress). */
export const isWorkInProgress = (title: string): boolean => endOfMarkers(title) > 0;

/** Removes the work in progress markers from a title. */
export const withoutMarker = (title: string): string => title.slice(endOfMarkers(title));

/** `empty`: no commits. `overflow`: more changes than are shown. */
type VersionState = 'collected' | 'empty' | 'overflow';

/** A version of a merge request (docs/reference/merge-requests.md#versions). Rows never change. */
@Entity('merge_request_versions')
@Index('merge_request_versions_request_idx', ['mergeRequestId', 'id'])
export class MergeRequestVersion {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'merge_request_versions_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => MergeRequest, {
    name: 'merge_request_versions_request_fkey',
    onDelete: 'CASCADE',
  })
  mergeRequestId!: number;

  /** The merge base; null when the histories have no commit in common. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  baseCommitSha!: string | null;

  /** Head of the target branch. */
  @Column({ type: 'varchar', length: 40 })
  startCommitSha!: string;

  /** Head of the source branch. */
  @Column({ type: 'varchar', length: 40 })
  headCommitSha!: string;

  @Column({ type: 'varchar', length: 10 })
  state!: VersionState;

  /** The number of changed files, with a `+` when the list is cut; null without commits. */
  @Column({ type: 'varchar', length: 8, nullable: true })
  realSize!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** What an attempt makes of its merge request. */
export interface MergeResult {
  /** That of the attempt. A process of an older version that stores another attempt leaves the result of the former one. */
  readonly commitSha: string;
  /** The head of the target branch that it was made for. */
  readonly targetSha: string;
  /** Null without a merge commit. */
  readonly mergeCommitSha: string | null;
  /** Null if the commits of the source branch were merged. */
  readonly squashCommitSha: string | null;
  /** Whether a squash was asked for, by the request or the user who merges it. */
  readonly squash: boolean;
}

/**
 * An attempt to merge: committed before the target branch moves, deleted when the merge is finished. The record of
 * the push finds by it which merge the push is, and whose, also after a crash (docs/decisions/0026-accepting.md).
 */
@Entity('merge_attempts')
@Index('merge_attempts_user_idx', ['userId'])
export class MergeAttempt {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'merge_attempts_pkey' })
  @ForeignKey(() => MergeRequest, { name: 'merge_attempts_request_fkey', onDelete: 'CASCADE' })
  mergeRequestId!: number;

  /** The commit that the target branch moves to. */
  @Column({ type: 'varchar', length: 40 })
  commitSha!: string;

  /** Null, or that of another commit: the commit is a merge commit. */
  @Column({ type: 'jsonb', nullable: true })
  result!: MergeResult | null;

  /** The user who merges. */
  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'merge_attempts_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  @Column({ type: 'boolean' })
  shouldRemoveSourceBranch!: boolean;

  /**
   * Whether the request to merge contained `should_remove_source_branch`. Rows of older versions: only if it is
   * true.
   */
  @Column({ type: 'boolean', default: false })
  shouldRemoveGiven!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
