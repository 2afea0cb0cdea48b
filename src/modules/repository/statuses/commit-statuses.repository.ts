import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/http/index.js';
import { ErasesAccountData } from '../../users/index.js';
import { CommitStatus } from './commit-status.entity.js';
import type { StatusState } from './status-states.js';

/** First key of the advisory locks that make writers of one pipeline wait for each other. */
const PIPELINE_LOCK = 7_265_004;

/** Rows that one step of erasing an account changes. */
const CHUNK = 1_000;

/** A pipeline, and one of the names in it. */
export interface StatusKey {
  projectId: number;
  /** The whole hash. */
  sha: string;
  ref: string;
  name: string;
}

/** What a post says of a status; absent texts are left as they are. */
export interface StatusReport {
  state: StatusState;
  targetUrl?: string | undefined;
  description?: string | undefined;
  userId: number;
}

export interface StatusFilter {
  ref?: string | undefined;
  name?: string | undefined;
  /** Older ones of the same ref and name too. */
  all: boolean;
}

const ENDS = `IN ('success', 'failed', 'canceled')`;

const INSERT = `
  INSERT INTO commit_statuses (project_id, sha, ref, name, status, target_url, description,
                               author_id, started_at, finished_at)
  SELECT p.id, $2, $3, $4, state, $6, $7, $8::int,
         CASE WHEN state = 'running' THEN now() END, CASE WHEN state ${ENDS} THEN now() END
    FROM projects p, (SELECT $5::varchar AS state) AS reported
   WHERE p.id = $1 AND p.deleted_at IS NULL FOR KEY SHARE OF p
  RETURNING id`;

// By the clock: this may have waited for whoever made the status.
const UPDATE = `
  UPDATE commit_statuses
     SET status = $2::varchar, target_url = coalesce($3, target_url),
         description = coalesce($4, description), author_id = $5,
         started_at = CASE WHEN $2::varchar = 'running' AND status <> 'running'
                           THEN clock_timestamp() ELSE started_at END,
         finished_at = CASE WHEN $2::varchar ${ENDS} THEN clock_timestamp() END
   WHERE id = $1`;

@Injectable()
export class CommitStatusesRepository {
  constructor(private readonly database: Database) {}

  /** Waits until nobody else changes a status of the same commit and ref, and keeps it so. */
  async lockPipeline({ projectId, sha, ref }: Omit<StatusKey, 'name'>): Promise<void> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      PIPELINE_LOCK,
      `${String(projectId)}/${sha}/${ref}`,
    ]);
  }

  async newest(key: StatusKey): Promise<CommitStatus | null> {
    const [newest] = await this.database
      .of(CommitStatus)
      .find({ where: { ...key }, order: { id: 'DESC' }, take: 1 });
    return newest ?? null;
  }

  /** Null for a project that is deleted. */
  async insert(key: StatusKey, report: StatusReport): Promise<CommitStatus | null> {
    const { projectId, sha, ref, name } = key;
    const { state, targetUrl = null, description = null, userId } = report;
    const [row] = await this.database.rows<{ id: number }>(INSERT, [
      ...[projectId, sha, ref, name],
      ...[state, targetUrl, description, userId],
    ]);
    return row === undefined ? null : this.read(row.id);
  }

  async update(id: number, report: StatusReport): Promise<CommitStatus> {
    const { state, targetUrl = null, description = null, userId } = report;
    await this.database.rows(UPDATE, [id, state, targetUrl, description, userId]);
    return this.read(id);
  }

  /** The oldest first. */
  ofCommit(
    projectId: number,
    sha: string,
    { ref, name, all }: StatusFilter,
    request: PageRequest,
  ): Promise<Page<CommitStatus>> {
    const query = this.database
      .of(CommitStatus)
      .createQueryBuilder('status')
      .where('status.project_id = :projectId AND status.sha = :sha', { projectId, sha })
      .orderBy('status.id');
    if (ref !== undefined) query.andWhere('status.ref = :ref', { ref });
    if (name !== undefined) query.andWhere('status.name = :name', { name });
    if (!all) {
      query.andWhere(`status.id IN (
        SELECT max(latest.id) FROM commit_statuses latest
         WHERE latest.project_id = :projectId AND latest.sha = :sha
         GROUP BY latest.ref, latest.name)`);
    }
    return pageOfQuery(this.database, query, request);
  }

  /** Attributes some statuses of a deleted account to the ghost. @returns whether there may be more */
  @ErasesAccountData()
  async handOver(userId: number, ghostId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE commit_statuses SET author_id = $2 WHERE id IN (
         SELECT id FROM commit_statuses WHERE author_id = $1 ORDER BY id LIMIT $3)
       RETURNING id`,
      [userId, ghostId, CHUNK],
    );
    return rows.length === CHUNK;
  }

  private read(id: number): Promise<CommitStatus> {
    return this.database.of(CommitStatus).findOneByOrFail({ id });
  }
}
