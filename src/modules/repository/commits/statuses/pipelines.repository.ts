import { Injectable } from '@nestjs/common';
import { Database, rowById, rowsWhere } from '../../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  pageOfQuery,
  type PageRequest,
  windowOf,
} from '../../../../platform/pagination/index.js';
import { Project } from '../../../projects/index.js';
import { CommitStatus } from './commit-status.entity.js';
import type { PipelineKey } from './commit-statuses.repository.js';
import { maskInSql, type StatusState } from './status.rules.js';

/** A list of pipelines looks for their first statuses among so many statuses of the project, from its beginning. */
const MAX_STATUSES = 100_000;

/** A filter by what is combined of several statuses looks at so many pipelines, from the beginning of the list. */
const MAX_COMBINED = 10_000;

/** A pipeline as its statuses have it. */
export interface PipelineRow extends PipelineKey {
  /** Of its first status. */
  id: number;
  /** The author of its first status. */
  authorId: number;
  /** The states of the newest statuses of each name; see `combineMask`. */
  mask: number;
  /** Of its first status. */
  createdAt: Date;
  /** When one of its statuses changed its state last. */
  updatedAt: Date;
  /** When the first of the newest statuses of each name started; null if none has. */
  startedAt: Date | null;
  /** When the last of them ended; null while one has not. */
  finishedAt: Date | null;
  /** The average of those newest statuses that have one, in percent with two decimals. */
  coverage: string | null;
  /** The first that its statuses have. */
  targetUrl: string | null;
}

/** All filters have to match. */
export interface PipelineRowFilter {
  ref?: string | undefined;
  /** Full hashes. */
  shas?: readonly string[] | undefined;
  /** The user name of the author of the first status, without case. */
  username?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  updatedAfter?: Date | undefined;
  updatedBefore?: Date | undefined;
  /** Those of wanted states. */
  masks?: readonly number[] | undefined;
  isAscending: boolean;
}

/** Which statuses of a pipeline are listed. */
export interface JobFilter {
  states?: readonly StatusState[] | undefined;
  /** Also older ones of the same name. */
  all: boolean;
}

/** Reads pipelines, which are derived from commit statuses: the first status of a commit and ref stands for theirs. */
@Injectable()
export class PipelinesRepository {
  constructor(private readonly database: Database) {}

  /** Finds the pipeline that has an id. */
  async find(projectId: number, id: number): Promise<PipelineRow | null> {
    const [row] = await this.database.rows<PipelineRow>(FIND, [projectId, id]);
    return row ?? null;
  }

  /** Finds the pipeline of a commit on a ref. */
  async findByKey({ projectId, sha, ref }: PipelineKey): Promise<PipelineRow | null> {
    const [row] = await this.database.rows<PipelineRow>(FIND_BY_KEY, [projectId, sha, ref]);
    return row ?? null;
  }

  /** Lists the pipelines of a project, in the order of their ids. */
  async list(
    projectId: number,
    filter: PipelineRowFilter,
    request: PageRequest,
  ): Promise<Page<PipelineRow>> {
    const parameters: unknown[] = [projectId];
    const matching = matchingPipelines(filter, (value) => `$${String(parameters.push(value))}`);
    const counted = await boundedCount(this.database, matching, [...parameters]);
    const { offset, limit } = windowOf(request);
    const [skipped, shown] = [parameters.push(offset), parameters.push(limit)];
    const order = filter.isAscending ? 'ASC' : 'DESC';
    const page = `
      SELECT * FROM (${matching}) matching
       ORDER BY id ${order} OFFSET $${String(skipped)} LIMIT $${String(shown)}`;
    const rows = await this.database.rows<PipelineRow>(
      `${withDetails(page)} ORDER BY p.id ${order}`,
      parameters,
    );
    return Page.cut(rows, counted, request);
  }

  /** Whether all who see a project may read its pipelines. */
  arePublic(projectId: number): Promise<boolean> {
    return this.database.of(Project).existsBy({ id: projectId, publicBuilds: true });
  }

  /** Lists the statuses of a pipeline, newest first. */
  listJobs(
    { projectId, sha, ref }: PipelineKey,
    { states, all }: JobFilter,
    request: PageRequest,
  ): Promise<Page<CommitStatus>> {
    const query = this.database
      .of(CommitStatus)
      .createQueryBuilder('status')
      .where('status.project_id = :projectId AND status.sha = :sha', { projectId, sha })
      .andWhere('status.ref = :ref', { ref })
      .orderBy('status.id', 'DESC');
    if (states !== undefined) query.andWhere('status.status = ANY(:states)', { states });
    if (!all) {
      query.andWhere(`status.id IN (
        SELECT max(latest.id) FROM commit_statuses latest
         WHERE latest.project_id = :projectId AND latest.sha = :sha AND latest.ref = :ref
         GROUP BY latest.name)`);
    }
    return pageOfQuery(this.database, query, request);
  }
}

const OF_PIPELINE = 'project_id = p.project_id AND sha = p.sha AND ref = p.ref';

/** A part of FROM: what the statuses of a pipeline `p` have at some time. */
const TIMES = `LATERAL (
  SELECT min(created_at) AS "createdAt", max(greatest(created_at, started_at, finished_at)) AS "updatedAt",
         min(id) FILTER (WHERE target_url IS NOT NULL) AS first_with_url
    FROM commit_statuses WHERE ${OF_PIPELINE}) times`;

/** A part of FROM: what the newest statuses of each name of a pipeline `p` have. */
const NEWEST = `LATERAL (
  SELECT ${maskInSql('status', `allow_failure AND status IN ('failed', 'canceled')`)} AS mask,
         min(started_at) AS "startedAt",
         CASE WHEN bool_and(finished_at IS NOT NULL) THEN max(finished_at) END AS "finishedAt",
         round(avg(coverage)::numeric, 2)::text AS coverage
    FROM (SELECT DISTINCT ON (name) status, allow_failure, started_at, finished_at, coverage
            FROM commit_statuses WHERE ${OF_PIPELINE} ORDER BY name, id DESC) latest) newest`;

/** @param pipelines selects their first statuses */
const withDetails = (pipelines: string): string => `
  SELECT p.id, p.project_id AS "projectId", p.sha, p.ref, p.author_id AS "authorId", newest.*,
         times."createdAt", times."updatedAt", linked.target_url AS "targetUrl"
    FROM (${pipelines}) p
   CROSS JOIN ${NEWEST}
   CROSS JOIN ${TIMES}
    LEFT JOIN ${rowById('commit_statuses', 'times.first_with_url')} linked ON true `;

/**
 * Whether no status of the commit and ref is older. `OFFSET 0` makes PostgreSQL look for one for each status; else it may collect those
 * of the whole project first.
 * @param status an alias
 */
const isFirst = (status: string): string => `NOT EXISTS (
  SELECT FROM commit_statuses earlier
   WHERE earlier.project_id = ${status}.project_id AND earlier.sha = ${status}.sha
     AND earlier.ref = ${status}.ref AND earlier.id < ${status}.id OFFSET 0)`;

const FIND = withDetails(`
  SELECT s.* FROM ${rowById('commit_statuses', '$2')} s WHERE s.project_id = $1 AND ${isFirst('s')}`);

const FIND_BY_KEY = withDetails(`
  SELECT s.* FROM ${rowsWhere('commit_statuses', 'project_id = $1 AND sha = $2 AND ref = $3')} s
   ORDER BY s.id LIMIT 1`);

/** Selects the first statuses of the pipelines of a project ($1) that match a filter. */
function matchingPipelines(
  filter: PipelineRowFilter,
  parameter: (value: unknown) => string,
): string {
  const { ref, shas, username, isAscending, createdAfter, createdBefore } = filter;
  const order = `ORDER BY id ${isAscending ? 'ASC' : 'DESC'}`;
  const ofStatus = [
    // In the words of the indexes for lists, unless commits are named.
    shas === undefined ? 'project_id::bigint = $1::bigint' : 'project_id = $1',
    ...(ref === undefined ? [] : [`ref = ${parameter(ref)}`]),
    ...(shas === undefined ? [] : [`sha = ANY(${parameter(shas)}::varchar[])`]),
  ];
  const ofFirst = [
    isFirst('s'),
    ...(username === undefined ? [] : [`s.author_id = ${userNamed(parameter(username))}`]),
    ...(createdAfter === undefined ? [] : [`s.created_at >= ${parameter(createdAfter)}`]),
    ...(createdBefore === undefined ? [] : [`s.created_at <= ${parameter(createdBefore)}`]),
  ];
  const first = `
    SELECT s.id, s.project_id, s.sha, s.ref, s.author_id
      FROM (SELECT * FROM commit_statuses WHERE ${ofStatus.join(' AND ')}
             ${order} LIMIT ${String(MAX_STATUSES)}) s
     WHERE ${ofFirst.join(' AND ')}`;
  const { masks, updatedAfter, updatedBefore } = filter;
  const combined = [
    ...(masks === undefined ? [] : [`newest.mask = ANY(${parameter(masks)}::int[])`]),
    ...(updatedAfter === undefined ? [] : [`times."updatedAt" >= ${parameter(updatedAfter)}`]),
    ...(updatedBefore === undefined ? [] : [`times."updatedAt" <= ${parameter(updatedBefore)}`]),
  ];
  if (combined.length === 0) return first;
  return `
    SELECT p.* FROM (${first} ${order} LIMIT ${String(MAX_COMBINED)}) p
     CROSS JOIN ${NEWEST} CROSS JOIN ${TIMES} WHERE ${combined.join(' AND ')}`;
}

const userNamed = (name: string): string =>
  `(SELECT id FROM users WHERE lower(username) = lower(${name}))`;
