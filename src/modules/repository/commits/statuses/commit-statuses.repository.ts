import { Injectable } from '@nestjs/common';
import {
  Database,
  type EntityColumns,
  notDeleted,
  rowById,
  rowsWhere,
} from '../../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../../platform/pagination/index.js';
import { ErasesAccountData } from '../../../users/index.js';
import { CommitStatus } from './commit-status.entity.js';
import type { NewestStatus, StatesOfNames, StatusState } from './status.rules.js';

/** First key of the advisory locks of pipelines (docs/lock-order.md). */
const PIPELINE_LOCK = 7_265_004;

/** Rows that one step of erasing an account changes. */
const CHUNK = 1_000;

/** The statuses of one commit on one ref (docs/reference/commit-statuses.md#the-status-of-a-commit). */
export interface PipelineKey {
  projectId: number;
  /** The full hash. */
  sha: string;
  ref: string;
}

/** The statuses of one name in a pipeline. */
export interface StatusKey extends PipelineKey {
  name: string;
}

/** The latest statuses of a pipeline. */
interface PipelineStates {
  projectId: number;
  sha: string;
  ref: string;
  /** Each state once; null when all statuses are forgiven. */
  states: StatusState[] | null;
  /** Whether there are statuses that failed and are allowed to fail. */
  hasForgiven: boolean;
}

/** The newest status of each name in a pipeline. */
interface Pipeline {
  /** That of one name, if there is any. */
  own: NewestStatus | null;
  /** Those of all other names. */
  others: StatesOfNames;
  /** Whether its commit has as many statuses as a commit may have, on all refs and older ones included. */
  isFull: boolean;
}

/** What a pipeline is apart from the statuses of its names. */
export interface PipelineSummary {
  /** Of its first status. */
  id: number;
  ref: string;
  /** Of its first status. */
  createdAt: Date;
  /** When one of its statuses changed its state last. */
  updatedAt: Date;
  /** The first that its statuses have. */
  targetUrl: string | null;
}

/** The new values of a status; absent texts and coverage stay as they are. */
export interface StatusReport {
  state: StatusState;
  targetUrl?: string | undefined;
  description?: string | undefined;
  /** Percent. */
  coverage?: number | undefined;
  userId: number;
}

export interface StatusFilter {
  ref?: string | undefined;
  name?: string | undefined;
  /** Includes older ones of the same ref and name. */
  all: boolean;
}

const IS_FINISHED = `IN ('success', 'failed', 'canceled', 'skipped')`;

const insertStatement = (columns: EntityColumns<CommitStatus>): string => `
  INSERT INTO commit_statuses AS c (project_id, sha, ref, name, status, target_url, description,
                               author_id, coverage, started_at, finished_at)
  SELECT p.id, $2, $3, $4, state, $6, $7, $8::int, $9::float8,
         CASE WHEN state = 'running' THEN now() END, CASE WHEN state ${IS_FINISHED} THEN now() END
    FROM projects p, (SELECT $5::varchar AS state) AS reported
   WHERE p.id = $1 AND ${notDeleted('p')} FOR KEY SHARE OF p
  RETURNING ${columns.list('c')}`;

// clock_timestamp(), since the transaction may have waited for the lock of the pipeline.
const updateStatement = (columns: EntityColumns<CommitStatus>): string => `
  UPDATE commit_statuses c
     SET status = $2::varchar, target_url = coalesce($3, target_url),
         description = coalesce($4, description), author_id = $5,
         coverage = coalesce($6, coverage),
         started_at = CASE WHEN $2::varchar = 'running' AND status <> 'running'
                           THEN clock_timestamp() ELSE started_at END,
         finished_at = CASE WHEN $2::varchar ${IS_FINISHED} THEN clock_timestamp() END
   WHERE id = $1
  RETURNING ${columns.list('c')}`;

const IS_FORGIVEN = `allow_failure AND status IN ('failed', 'canceled')`;

/**
 * The newest status of each name of a pipeline, in one row: of one name ($4), and the states of the others; and whether the
 * commit has as many statuses ($5) as it may have.
 */
const PIPELINE = `
  SELECT (array_agg(json_build_object('id', id, 'status', status, 'allowFailure', allow_failure))
            FILTER (WHERE name = $4))[1] AS own,
         json_build_object(
           'states', coalesce(json_agg(DISTINCT status) FILTER (WHERE name <> $4 AND NOT forgiven), '[]'),
           'hasForgiven', coalesce(bool_or(forgiven) FILTER (WHERE name <> $4), false)) AS others,
         (SELECT count(*) >= $5::int
            FROM (SELECT FROM commit_statuses WHERE project_id = $1 AND sha = $2 LIMIT $5::int) bounded) AS "isFull"
    FROM (SELECT DISTINCT ON (name) id, name, status, allow_failure, ${IS_FORGIVEN} AS forgiven
            FROM commit_statuses
           WHERE project_id = $1 AND sha = $2 AND ref = $3
           ORDER BY name, id DESC) newest`;

/** For each of some commits ($2) of projects ($1), on a ref ($3, null for all): the newest status of each name, as a set. */
const PIPELINES = `
  SELECT newest.project_id AS "projectId", newest.sha, newest.ref,
         array_agg(DISTINCT newest.status) FILTER (WHERE NOT newest.forgiven) AS states,
         bool_or(newest.forgiven) AS "hasForgiven"
    FROM (SELECT DISTINCT ON (project_id, sha, ref, name) project_id, sha, ref, status,
                 ${IS_FORGIVEN} AS forgiven
            FROM (SELECT DISTINCT * FROM unnest($1::int[], $2::varchar[], $3::varchar[]))
                 asked (of_project, of_commit, of_ref)
            JOIN ${rowsWhere('commit_statuses', 'project_id = asked.of_project AND sha = asked.of_commit')} s
              ON asked.of_ref IS NULL OR ref = asked.of_ref
           ORDER BY project_id, sha, ref, name, id DESC) newest
   GROUP BY newest.project_id, newest.sha, newest.ref`;

/**
 * The pipeline of a commit ($2) of a project ($1) that began last. Its ref is chosen by the columns of the index alone: a commit
 * may have thousands of pipelines with long target URLs.
 */
const NEWEST_PIPELINE = `
  SELECT newest.id, newest.ref, newest."createdAt", newest."updatedAt", s.target_url AS "targetUrl"
    FROM (SELECT min(id) AS id, ref, min(created_at) AS "createdAt",
                 max(greatest(created_at, started_at, finished_at)) AS "updatedAt",
                 min(id) FILTER (WHERE target_url IS NOT NULL) AS first_with_url
            FROM commit_statuses
           WHERE project_id = $1 AND sha = $2 AND ref = (
                 SELECT ref FROM commit_statuses WHERE project_id = $1 AND sha = $2
                  GROUP BY ref ORDER BY min(id) DESC LIMIT 1)
           GROUP BY ref) newest
    LEFT JOIN ${rowById('commit_statuses', 'newest.first_with_url')} s ON true`;

const PIPELINE_IDS = `
  SELECT ref, min(id) AS id FROM commit_statuses
   WHERE project_id = $1 AND sha = $2 AND ref = ANY($3::varchar[])
   GROUP BY ref`;

const REF_OF_PIPELINE = `
  SELECT s.ref FROM ${rowById('commit_statuses', '$3')} s
   WHERE s.project_id = $1 AND s.sha = $2 AND NOT EXISTS (
         SELECT FROM commit_statuses earlier
          WHERE earlier.project_id = $1 AND earlier.sha = $2 AND earlier.ref = s.ref
            AND earlier.id < s.id)`;

@Injectable()
export class CommitStatusesRepository {
  private readonly statements: Readonly<Record<'insert' | 'update', string>>;

  constructor(private readonly database: Database) {
    const columns = database.columns(CommitStatus);
    this.statements = { insert: insertStatement(columns), update: updateStatement(columns) };
  }

  /** Locks a pipeline to the end of the unit of work: no other transaction changes its statuses. */
  async lockPipeline({ projectId, sha, ref }: PipelineKey): Promise<void> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      PIPELINE_LOCK,
      `${String(projectId)}/${sha}/${ref}`,
    ]);
  }

  /** Finds pipelines of commits; of one without a ref those of all its refs. */
  findPipelines(
    commits: readonly { projectId: number; sha: string; ref: string | null }[],
  ): Promise<PipelineStates[]> {
    return this.database.rows<PipelineStates>(PIPELINES, [
      commits.map(({ projectId }) => projectId),
      commits.map(({ sha }) => sha),
      commits.map(({ ref }) => ref),
    ]);
  }

  /**
   * Finds the newest statuses of a pipeline: that of the name, and the states of the other names.
   * @param limit the most statuses of a commit
   */
  async findPipeline({ projectId, sha, ref, name }: StatusKey, limit: number): Promise<Pipeline> {
    const [row] = await this.database.rows<Pipeline>(PIPELINE, [projectId, sha, ref, name, limit]);
    return row as Pipeline;
  }

  /** Finds the pipeline of a commit that began last; null without any. */
  async findNewestPipeline(projectId: number, sha: string): Promise<PipelineSummary | null> {
    const [row] = await this.database.rows<PipelineSummary>(NEWEST_PIPELINE, [projectId, sha]);
    return row ?? null;
  }

  /** Finds the ids of a commit's pipelines on some refs. */
  findPipelineIds(
    projectId: number,
    sha: string,
    refs: readonly string[],
  ): Promise<Pick<PipelineSummary, 'id' | 'ref'>[]> {
    return this.database.rows(PIPELINE_IDS, [projectId, sha, refs]);
  }

  /** Finds the ref of a commit's pipeline; null when the id is not that of the first status of a ref. */
  async findRefOfPipeline(projectId: number, sha: string, id: number): Promise<string | null> {
    const [row] = await this.database.rows<{ ref: string }>(REF_OF_PIPELINE, [projectId, sha, id]);
    return row?.ref ?? null;
  }

  /** Null for a project that is deleted. */
  async insert(key: StatusKey, report: StatusReport): Promise<CommitStatus | null> {
    const { projectId, sha, ref, name } = key;
    const { state, targetUrl = null, description = null, coverage = null, userId } = report;
    const [row] = await this.database.rows<CommitStatus>(this.statements.insert, [
      projectId,
      sha,
      ref,
      name,
      state,
      targetUrl,
      description,
      userId,
      coverage,
    ]);
    return row ?? null;
  }

  async update(id: number, report: StatusReport): Promise<CommitStatus> {
    const { state, targetUrl = null, description = null, coverage = null, userId } = report;
    const values = [id, state, targetUrl, description, userId, coverage];
    const [row] = await this.database.rows<CommitStatus>(this.statements.update, values);
    if (row === undefined) throw new Error(`Status ${String(id)} was not locked`);
    return row;
  }

  /** Lists the statuses of a commit, oldest first. */
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
}
