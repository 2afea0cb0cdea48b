import { Injectable } from '@nestjs/common';
import {
  checked,
  Database,
  type EntityColumns,
  inOrderOf,
  notDeleted,
  rowById,
  rowsWhere,
} from '../../../platform/database/index.js';
import { existingProject } from '../../authorization/index.js';
import { MergeAttempt, MergeRequest } from '../model/merge-request.entity.js';
import { locatedColumns } from '../model/merge-request.sql.js';
import type { LocatedMergeRequest } from '../model/merge-requests.repository.js';

export type NewAttempt = Omit<MergeAttempt, 'createdAt'>;

/** A merge request with the attempt to merge it. */
export interface AttemptedMerge {
  mergeRequest: LocatedMergeRequest;
  attempt: MergeAttempt;
}

/** Attempts to merge that are under way, or whose merge is recorded and not finished. */
@Injectable()
export class MergeAttemptsRepository {
  private readonly attempts: EntityColumns<MergeAttempt>;
  private readonly select: string;

  constructor(private readonly database: Database) {
    this.attempts = database.columns(MergeAttempt);
    const mergeRequests = database.columns(MergeRequest).without('deletedAt');
    this.select = `SELECT ${locatedColumns(mergeRequests)}, ${this.attempts.list('attempt', ATTEMPT)}`;
  }

  /** Stores an attempt. Overwrites an earlier one of the request, whose commit no branch has got. */
  async put(attempt: NewAttempt): Promise<void> {
    await this.database.rows(PUT, [
      attempt.mergeRequestId,
      attempt.commitSha,
      attempt.userId,
      attempt.shouldRemoveSourceBranch,
      attempt.shouldRemoveGiven,
      attempt.result,
    ]);
  }

  /** Whether any attempts created some commits, in whatever project. */
  async haveCreated(commits: readonly string[]): Promise<boolean> {
    const sql = 'SELECT FROM merge_attempts WHERE commit_sha = ANY($1::varchar[]) LIMIT 1';
    return commits.length > 0 && (await this.database.rows(sql, [commits])).length > 0;
  }

  /**
   * Finds the attempts that created some commits, with the requests into a project that they are of, and locks these
   * requests in ID order.
   */
  lockByCommits(projectId: number, commits: readonly string[]): Promise<AttemptedMerge[]> {
    const isOfCommits = 'attempt.commit_sha = ANY($2::varchar[])';
    return this.read(
      `${FROM_REQUESTS} AND m.id = ANY(ARRAY(SELECT merge_request_id FROM merge_attempts attempt WHERE ${isOfCommits}))
       AND ${checked(`m.project_id = $1 AND ${isOfCommits}`)}
       ${inOrderOf('m.id')} FOR NO KEY UPDATE OF m`,
      [projectId, commits],
    );
  }

  /** Finds a merged request whose issues or source branch are not handled yet. Null when the merge is finished. */
  async findUnfinished(mergeRequestId: number): Promise<AttemptedMerge | null> {
    const [merge] = await this.read(`${FROM_REQUESTS} AND m.id = $1 AND ${IS_MERGED}`, [
      mergeRequestId,
    ]);
    return merge ?? null;
  }

  /** Finds the requests that were merged into a branch and whose merge is not finished. */
  findUnfinishedIn(projectId: number, targetBranch: string): Promise<AttemptedMerge[]> {
    return this.read(
      `${FROM_ATTEMPTS} AND ${IS_MERGED} AND m.project_id = $1 AND m.target_branch = $2`,
      [projectId, targetBranch],
    );
  }

  async remove(mergeRequestId: number): Promise<void> {
    await this.database.of(MergeAttempt).delete({ mergeRequestId });
  }

  private async read(from: string, parameters: readonly unknown[]): Promise<AttemptedMerge[]> {
    const rows = await this.database.rows<LocatedMergeRequest & Record<string, unknown>>(
      `${this.select} ${from}`,
      parameters,
    );
    return rows.map((row) => ({ mergeRequest: row, attempt: this.attempts.read(row, ATTEMPT) }));
  }
}

/** The prefix of an attempt's columns. */
const ATTEMPT = 'attempt.';

const IS_MERGED = checked(`m.state = 'merged'`);

const PUT = `
  INSERT INTO merge_attempts (merge_request_id, commit_sha, user_id, should_remove_source_branch,
                              should_remove_given, result)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (merge_request_id) DO UPDATE
     SET commit_sha = excluded.commit_sha, user_id = excluded.user_id,
         should_remove_source_branch = excluded.should_remove_source_branch,
         should_remove_given = excluded.should_remove_given, result = excluded.result,
         created_at = now()`;

const fromAttempted = (tables: string): string => `
  FROM ${tables}
    ${existingProject('m.project_id')}
   WHERE ${notDeleted('m')}`;

/** Merge requests `m` that further conditions find, with their attempts. */
const FROM_REQUESTS = fromAttempted(`
  merge_requests m JOIN ${rowsWhere('merge_attempts', 'merge_request_id = m.id')} attempt ON true`);

/** All attempts, which are few at any time, with their merge requests `m`. */
const FROM_ATTEMPTS = fromAttempted(`
  merge_attempts attempt JOIN ${rowById('merge_requests', 'attempt.merge_request_id')} m ON true`);
