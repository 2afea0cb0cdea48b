import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { MergeRequest } from './merge-request.entity.js';

/** A merge request and where it is. */
export interface LocatedMergeRequest extends Omit<MergeRequest, 'deletedAt'> {
  /** Namespace and path of the target project. */
  projectPath: string;
}

const OWN_COLUMNS = `
  m.id, m.iid, m.project_id AS "projectId", m.source_project_id AS "sourceProjectId",
  m.source_branch AS "sourceBranch", m.target_branch AS "targetBranch",
  m.author_id AS "authorId", m.assignee_id AS "assigneeId", m.updated_by_id AS "updatedById",
  m.milestone_id AS "milestoneId", m.title, m.description, m.state,
  m.merge_status AS "mergeStatus", m.head_sha AS "headSha",
  m.latest_version_id AS "latestVersionId", m.checked_target_sha AS "checkedTargetSha",
  m.merge_commit_sha AS "mergeCommitSha", m.merge_user_id AS "mergeUserId",
  m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds",
  m.merge_commit_message AS "mergeCommitMessage",
  m.should_remove_source_branch AS "shouldRemoveSourceBranch",
  m.force_remove_source_branch AS "forceRemoveSourceBranch",
  m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

/** The columns of a `LocatedMergeRequest`: of requests `m`, their projects `p` and namespaces `n`. */
export const COLUMNS = `${OWN_COLUMNS}, n.path || '/' || p.path AS "projectPath"`;

/** Requests `m` that are there, with their target projects `p`; goes on with further conditions. */
const LIVING = `
  FROM merge_requests m
  JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
 WHERE m.deleted_at IS NULL`;

/** Writes and finds single merge requests. */
@Injectable()
export class MergeRequestsRepository {
  constructor(private readonly database: Database) {}

  /** @param projectId the target project */
  async findIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(FIND_IN, [id, projectId]);
    return row ?? null;
  }

  /** As `findIn`; nobody else changes or deletes it until the unit of work ends. */
  async lockIn(projectId: number, id: number): Promise<LocatedMergeRequest | null> {
    const [row] = await this.database.rows<LocatedMergeRequest>(LOCK_IN, [id, projectId]);
    return row ?? null;
  }

  /** In no particular order. */
  findByIds(ids: readonly number[]): Promise<LocatedMergeRequest[]> {
    return this.database.rows(FIND_BY_IDS, [ids]);
  }

  /** In no particular order. @param iids numbers within the target project */
  findByIids(projectId: number, iids: readonly number[]): Promise<LocatedMergeRequest[]> {
    return this.database.rows(FIND_BY_IIDS, [projectId, iids]);
  }

  /** Moves `updated_at` to now. @returns false for one that is gone */
  async touch(id: number): Promise<boolean> {
    return (await this.database.rows(TOUCH, [id])).length > 0;
  }
}

const FIND_IN = `SELECT ${COLUMNS} ${LIVING} AND m.id = $1 AND m.project_id = $2`;
const LOCK_IN = `${FIND_IN} FOR NO KEY UPDATE OF m`;
const FIND_BY_IDS = `SELECT ${COLUMNS} ${LIVING} AND m.id = ANY($1::int[])`;
const FIND_BY_IIDS = `SELECT ${COLUMNS} ${LIVING} AND m.project_id = $1 AND m.iid = ANY($2::int[])`;

const TOUCH = `
  UPDATE merge_requests SET updated_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id`;
