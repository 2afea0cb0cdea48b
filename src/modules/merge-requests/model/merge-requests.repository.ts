import { Injectable } from '@nestjs/common';
import { Database, opaqueArray, rowById, rowsByIds } from '../../../platform/database/index.js';
import { Page } from '../../../platform/pagination/index.js';
import { type Subject, visibleLevels } from '../../authorization/index.js';
import {
  BaseIssuablesRepository,
  type HeadOf,
  IssuableLists,
  IssuableReads,
  IssuableRelations,
  type IssuableKey,
  type NumberInProject,
  type WithRelations,
} from '../../issuables/index.js';
import type { PipelineKey } from '../../repository/index.js';
import type { StoredProject } from '../../storage/index.js';
import { ErasesAccountData } from '../../users/index.js';
import {
  countStatement,
  listedProjects,
  type ListQuestion,
  pageStatement,
  type ProjectsOfList,
} from './merge-request-list.sql.js';
import { MergeRequest } from './merge-request.entity.js';
import type { MergeRules } from './merge-rules.js';
import {
  type BranchWithRequest,
  DISABLE_AUTOMATIC_MERGE,
  FIND_FOR_PUSHER,
  FIND_IDS_FROM,
  FIND_TARGETING,
  INSERT_IMPORTED,
  locatedColumns,
  LOCK_AFFECTED,
  LOCK_OF_BRANCHES,
  openFrom,
  openFromBranch,
  requestStatements,
  type RequestStatements,
  RESET_STATUS,
  type TargetingRequest,
} from './merge-request.sql.js';

/** A merge request with the path of its target project. */
export interface LocatedMergeRequest extends Omit<MergeRequest, 'deletedAt'> {
  /** Namespace and path of the target project. */
  projectPath: string;
}

/** A merge request with the relations that its response embeds, as one reader sees them. */
export type MergeRequestWithRelations = WithRelations<LocatedMergeRequest>;

/** The columns that a merge request has from its beginning, wherever it comes from. */
type FirstColumns =
  | 'projectId'
  | 'sourceProjectId'
  | 'sourceBranch'
  | 'targetBranch'
  | 'authorId'
  | 'assigneeIds'
  | 'milestoneId'
  | 'title'
  | 'description';

type NewMergeRequest = Pick<
  MergeRequest,
  FirstColumns | 'reviewerIds' | 'forceRemoveSourceBranch' | 'forceRemoveGiven' | 'forceRemoveById'
> & {
  /** Null: as the squash option of the project says. */
  squash: boolean | null;
};

/** A merge request of another server. */
type ImportedMergeRequest = Pick<
  MergeRequest,
  | Exclude<FirstColumns, 'projectId'>
  | 'iid'
  | 'state'
  | 'mergeStatus'
  | 'mergeCommitSha'
  | 'createdAt'
  | 'updatedAt'
>;

/** The columns that `update` writes. */
type ChangedMergeRequest = Pick<
  MergeRequest,
  | 'id'
  | 'targetBranch'
  | 'assigneeIds'
  | 'reviewerIds'
  | 'milestoneId'
  | 'title'
  | 'description'
  | 'state'
  | 'mergeStatus'
  | 'checkedTargetSha'
  | 'mergeCommitSha'
  | 'mergeUserId'
  | 'mergeWhenBuildSucceeds'
  | 'mergesWithoutBuild'
  | 'mergeCommitMessage'
  | 'squash'
  | 'squashCommitMessage'
  | 'squashCommitSha'
  | 'shouldRemoveSourceBranch'
  | 'shouldRemoveGiven'
  | 'forceRemoveSourceBranch'
  | 'forceRemoveGiven'
  | 'forceRemoveById'
  | 'rebaseProblem'
  | 'discussionLocked'
>;

/** The columns that decide whether a request can still be merged as it was checked. */
type LockedMergeRequest = Pick<
  MergeRequest,
  | 'id'
  | 'state'
  | 'title'
  | 'headSha'
  | 'targetBranch'
  | 'squash'
  | 'approvedByIds'
  | 'mergeWhenBuildSucceeds'
  | 'mergeUserId'
>;

/** A source and a target branch. Only one request can be open for them. */
export type BranchPair = Pick<
  MergeRequest,
  'projectId' | 'sourceProjectId' | 'sourceBranch' | 'targetBranch'
>;

/** The unique index that refuses a second open request for a pair of branches. */
export const OPEN_KEY = 'merge_requests_open_key';

/** Finds, locks, lists and writes merge requests, one by one and those of the branches of a push. */
@Injectable()
export class MergeRequestsRepository extends BaseIssuablesRepository {
  private readonly statements: RequestStatements;
  private readonly reads: IssuableReads<LocatedMergeRequest>;

  private readonly lists: IssuableLists<ListQuestion, LocatedMergeRequest>;

  constructor(database: Database, relations: IssuableRelations) {
    super(database, 'merge_requests');
    const columns = database.columns(MergeRequest).without('deletedAt');
    this.statements = requestStatements(columns);
    const list = locatedColumns(columns, 't');
    this.reads = new IssuableReads(relations, 'MergeRequest', columns, list);
    this.lists = new IssuableLists(database, relations, {
      type: 'MergeRequest',
      columns,
      page: (question) => pageStatement(columns, question),
      count: countStatement,
    });
  }

  /**
   * Inserts a merge request with the next iid, which is locked to the end of the unit of work. Violates
   * `OPEN_KEY` when one is open for the branches.
   * @returns null when the target project is deleted, archived, or has merge requests switched off
   */
  async insert(request: NewMergeRequest): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(this.statements.insert, [
      request.projectId,
      request.sourceProjectId,
      request.sourceBranch,
      request.targetBranch,
      request.authorId,
      request.assigneeIds,
      request.milestoneId,
      request.title,
      request.description,
      request.forceRemoveSourceBranch,
      request.forceRemoveGiven,
      request.forceRemoveById,
      request.reviewerIds,
      request.squash,
    ]);
    return row ?? null;
  }

  /** Finds the request that is open for two branches. @param exceptId a request to leave out */
  async findOpen(
    pair: BranchPair,
    exceptId = 0,
  ): Promise<Pick<MergeRequest, 'iid' | 'title'> | null> {
    const [row] = await this.database.rows<Pick<MergeRequest, 'iid' | 'title'>>(FIND_OPEN, [
      pair.sourceProjectId,
      pair.sourceBranch,
      pair.projectId,
      pair.targetBranch,
      exceptId,
    ]);
    return row ?? null;
  }

  /** Finds a request of a target project. */
  async findIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(this.statements.findIn, [
      id,
      projectId,
    ]);
    return row ?? null;
  }

  /** Finds a request of a target project with its relations. */
  findWithRelations(
    projectId: number,
    key: IssuableKey,
    reader: Subject,
  ): Promise<MergeRequestWithRelations | null> {
    return this.reads.find(projectId, key, reader);
  }

  /**
   * Inserts a merge request of another server with its number and its times, without activity, todos and events. Its
   * labels and versions follow. Violates `OPEN_KEY` when another one is open for the branches.
   * @returns its ID; null if the number is taken, or the project is deleted
   */
  async insertImported(projectId: number, request: ImportedMergeRequest): Promise<number | null> {
    const [row] = await this.database.rows<{ id: number }>(INSERT_IMPORTED, [
      ...[projectId, request.iid, request.sourceProjectId, request.sourceBranch],
      ...[request.targetBranch, request.authorId, request.assigneeIds, request.milestoneId],
      ...[request.title, request.description, request.state, request.mergeStatus],
      ...[request.mergeCommitSha, request.createdAt, request.updatedAt],
    ]);
    return row?.id ?? null;
  }

  /** Finds a request of a target project and locks its row to the end of the unit of work. */
  async lockIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(this.statements.lockIn, [
      id,
      projectId,
    ]);
    return row ?? null;
  }

  /** Finds requests in no particular order. */
  findByIds(ids: readonly number[]): Promise<LocatedMergeRequest[]> {
    return this.database.rows(this.statements.findByIds, [ids]);
  }

  /** Finds requests without their descriptions, in no particular order. */
  findHeads(ids: readonly number[]): Promise<HeadOf<LocatedMergeRequest>[]> {
    return this.database.rows(this.statements.findHeads, [ids]);
  }

  /** Finds requests by their iids, without their descriptions, in no particular order. */
  findHeadsByIid(numbers: readonly NumberInProject[]): Promise<HeadOf<LocatedMergeRequest>[]> {
    const projectIds = numbers.map(({ projectId }) => projectId);
    return this.database.rows(this.statements.findHeadsByIid, [
      projectIds,
      numbers.map(({ iid }) => iid),
    ]);
  }

  /** Finds the open requests whose head and source branch a pipeline belongs to, by ID. */
  findOpenOfPipeline({
    projectId,
    ref,
    sha,
  }: PipelineKey): Promise<Pick<MergeRequest, 'id' | 'authorId' | 'mergeWhenBuildSucceeds'>[]> {
    return this.database.rows(FIND_OPEN_OF_PIPELINE, [projectId, ref, sha]);
  }

  /** Finds the projects with requests of a list across projects, as far as the reader sees them. */
  async findListedProjects(
    list: ProjectsOfList,
    reader: Subject,
    groupId?: number,
  ): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(listedProjects(list), [
      reader?.id ?? null,
      reader?.admin ?? false,
      visibleLevels(reader),
      ...(groupId === undefined ? [] : [groupId]),
    ]);
    return rows.map(({ id }) => id);
  }

  /** Lists a page of the requests into some projects with their relations. */
  list(
    question: Omit<ListQuestion, 'readerId'>,
    reader: Subject,
  ): Promise<Page<MergeRequestWithRelations>> {
    if (question.projectIds.length === 0) {
      return Promise.resolve(Page.of<MergeRequestWithRelations>([], question.request));
    }
    return this.lists.findPage({ ...question, readerId: reader?.id ?? null }, reader);
  }

  /**
   * Writes a request that the unit of work has locked. Violates `OPEN_KEY` when another one is open for the
   * branches.
   * @returns the new `updated_at`
   */
  async update(changed: ChangedMergeRequest, actorId: number): Promise<Date> {
    const [row] = await this.database.rows<{ updatedAt: Date }>(UPDATE, [
      ...[changed.id, changed.targetBranch, changed.assigneeIds, changed.milestoneId],
      ...[changed.title, changed.description, changed.state, changed.mergeUserId],
      ...[changed.mergeWhenBuildSucceeds, changed.mergeCommitMessage],
      ...[changed.shouldRemoveSourceBranch, changed.forceRemoveSourceBranch, actorId],
      ...[changed.mergeStatus, changed.checkedTargetSha],
      ...[changed.shouldRemoveGiven, changed.forceRemoveGiven, changed.forceRemoveById],
      ...[changed.mergeCommitSha, changed.squash, changed.squashCommitMessage],
      ...[changed.squashCommitSha, changed.reviewerIds, changed.rebaseProblem],
      ...[changed.mergesWithoutBuild, changed.discussionLocked],
    ]);
    if (row === undefined) throw new Error(`Merge request ${changed.id} was not locked`);
    return row.updatedAt;
  }

  /** Finds the open requests that come from one of some projects and target another one. */
  findOpenFromForks(
    sourceIds: readonly number[],
  ): Promise<Pick<MergeRequest, 'id' | 'projectId'>[]> {
    return this.database.rows(FIND_OPEN_FROM_FORKS, [sourceIds]);
  }

  /** Replaces the approvals of a request that the unit of work has locked. @returns the new `updated_at` */
  async setApprovals(id: number, userIds: readonly number[]): Promise<Date> {
    const [row] = await this.database.rows<{ updatedAt: Date }>(SET_APPROVALS, [id, userIds]);
    if (row === undefined) throw new Error(`Merge request ${String(id)} was not locked`);
    return row.updatedAt;
  }

  /** Deletes a request softly; its iid stays taken. */
  async markDeleted(id: number): Promise<void> {
    await this.database.rows('UPDATE merge_requests SET deleted_at = now() WHERE id = $1', [id]);
  }

  /** Finds the IDs of the requests that come from some branches of a project. */
  async findIdsFrom(projectId: number, branches: readonly string[]): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(FIND_IDS_FROM, [projectId, branches]);
    return rows.map(({ id }) => id);
  }

  /** Finds the requests that target some branches of a project and have a head. */
  findTargeting(projectId: number, branches: readonly string[]): Promise<TargetingRequest[]> {
    return this.database.rows(FIND_TARGETING, [projectId, branches]);
  }

  /** Locks and returns those of some requests that are open, in ID order. */
  lockOpen(ids: readonly number[]): Promise<LocatedMergeRequest[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.database.rows(this.statements.lockOpen, [ids]);
  }

  /**
   * Locks the open requests that come from or target some branches of a project, in ID order. Locking them later, one
   * by one, could deadlock with a concurrent push or merge.
   */
  lockOfBranches(projectId: number, branches: readonly string[]): Promise<LockedMergeRequest[]> {
    return this.database.rows(LOCK_OF_BRANCHES, [projectId, branches]);
  }

  /**
   * Locks the requests that target some branches of a project, and those with some IDs, in ID order, to avoid
   * deadlocks.
   * @returns whether there are any
   */
  async lockAffected(
    projectId: number,
    branches: readonly string[],
    ids: readonly number[],
  ): Promise<boolean> {
    return (await this.database.rows(LOCK_AFFECTED, [projectId, branches, ids])).length > 0;
  }

  /**
   * Sets the merge status of the requests that target some branches, and of those with some IDs, to `unchecked`.
   * @returns the IDs of their target projects
   */
  async resetStatus(
    projectId: number,
    branches: readonly string[],
    ids: readonly number[],
  ): Promise<number[]> {
    const rows = await this.database.rows<{ projectId: number }>(RESET_STATUS, [
      projectId,
      branches,
      ids,
    ]);
    return [...new Set(rows.map((row) => row.projectId))];
  }

  /** Makes a request wait no longer for its build. */
  async disableAutomaticMerge(id: number): Promise<void> {
    await this.database.rows(DISABLE_AUTOMATIC_MERGE, [id]);
  }

  /** Finds the request of each pushed branch that the pusher may see; none when merge requests are switched off. */
  findForPusher(
    projectId: number,
    branches: readonly string[],
    userId: number,
  ): Promise<BranchWithRequest[]> {
    return this.database.rows(FIND_FOR_PUSHER, [projectId, branches, userId]);
  }

  /** Finds the storages of projects that are not deleted, by ID. */
  async findStorages(ids: readonly number[]): Promise<ReadonlyMap<number, StoredProject>> {
    const projects = await this.database.rows<StoredProject>(FIND_STORAGES, [ids]);
    return new Map(projects.map((one) => [one.id, one]));
  }

  /** Finds what a project lays down for its merges; null if it is deleted. */
  async findRulesOf({ projectId }: Pick<MergeRequest, 'projectId'>): Promise<MergeRules | null> {
    return (await this.findMergeRules([projectId])).get(projectId) ?? null;
  }

  /** Finds what some projects lay down for their merges, by ID. */
  async findMergeRules(projectIds: readonly number[]): Promise<ReadonlyMap<number, MergeRules>> {
    if (projectIds.length === 0) return new Map();
    const found = await this.database.rows<MergeRules & { id: number }>(FIND_MERGE_RULES, [
      projectIds,
    ]);
    return new Map(found.map(({ id, ...rules }) => [id, rules]));
  }

  /**
   * Finds those of some requests whose source branch was found to be based on the head of the target branch when the merge
   * status was: the merge base of their newest version is that head.
   */
  async findBased(ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (ids.length === 0) return new Set();
    const found = await this.database.rows<{ id: number }>(FIND_BASED, [ids]);
    return new Set(found.map(({ id }) => id));
  }

  @ErasesAccountData()
  handOverMergers(userId: number, ghostId: number): Promise<boolean> {
    return this.replaceUser('merge_user_id', userId, ghostId);
  }

  @ErasesAccountData()
  removeReviewers(userId: number): Promise<boolean> {
    return this.removeFrom('reviewer_ids', userId);
  }

  @ErasesAccountData()
  removeApprovals(userId: number): Promise<boolean> {
    return this.removeFrom('approved_by_ids', userId);
  }

  /** Replaces the user who asked for the removal of the source branch. */
  @ErasesAccountData()
  handOverRemovals(userId: number, ghostId: number): Promise<boolean> {
    return this.replaceUser('force_remove_by_id', userId, ghostId);
  }
}

const FIND_OPEN = `
  SELECT m.iid, m.title FROM ${openFromBranch('$1', '$2')} m
   WHERE m.project_id = $3 AND m.target_branch = $4 AND m.id <> $5`;

const FIND_OPEN_FROM_FORKS = `
  SELECT m.id, m.project_id AS "projectId"
    FROM unnest($1::int[]) AS source (id)
    JOIN ${openFrom('source.id')} m ON m.project_id <> m.source_project_id
   ORDER BY m.id`;

const FIND_OPEN_OF_PIPELINE = `
  SELECT m.id, m.author_id AS "authorId",
         m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds"
    FROM ${openFromBranch('$1', '$2')} m
   WHERE m.head_sha = $3
   ORDER BY m.id`;

const UPDATE = `
  UPDATE merge_requests
     SET target_branch = $2, assignee_ids = $3, milestone_id = $4, title = $5, description = $6,
         state = $7, merge_user_id = $8, merge_when_build_succeeds = $9, merge_commit_message = $10,
         should_remove_source_branch = $11, force_remove_source_branch = $12, updated_by_id = $13,
         merge_status = $14, checked_target_sha = $15, should_remove_given = $16,
         force_remove_given = $17, force_remove_by_id = $18, merge_commit_sha = $19, squash = $20,
         squash_commit_message = $21, squash_commit_sha = $22, reviewer_ids = $23,
         rebase_problem = $24, merges_without_build = $25, discussion_locked = $26,
         updated_at = now()
   WHERE id = $1
  RETURNING updated_at AS "updatedAt"`;

const SET_APPROVALS = `
  UPDATE merge_requests SET approved_by_ids = $2, updated_at = now() WHERE id = $1
  RETURNING updated_at AS "updatedAt"`;

const FIND_MERGE_RULES = `
  SELECT id, merge_method AS method, squash_option AS "squashOption",
         only_allow_merge_if_build_succeeds AS "requiresBuild",
         approvals_before_merge AS "requiredApprovals",
         only_allow_merge_if_all_discussions_are_resolved AS "requiresResolution"
    FROM ${rowsByIds('projects', opaqueArray('$1', 'int'))} p`;

const FIND_BASED = `
  SELECT m.id FROM ${rowsByIds('merge_requests', opaqueArray('$1', 'int'))} m
    JOIN ${rowById('merge_request_versions', 'm.latest_version_id')} v ON true
   WHERE v.base_commit_sha = m.checked_target_sha`;

const FIND_STORAGES = `
  SELECT id, storage, refs_version AS "refsVersion" 
    FROM ${rowsByIds('projects', opaqueArray('$1', 'int'))} p WHERE p.deleted_at IS NULL`;
