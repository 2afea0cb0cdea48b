import { Injectable } from '@nestjs/common';
import { Database, type EntityColumns } from '../../../platform/database/index.js';
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
  private readonly find: string;

  constructor(private readonly database: Database) {
    this.attempts = database.columns(MergeAttempt);
    this.find = findStatement(this.attempts, database.columns(MergeRequest).without('deletedAt'));
  }

  /** Stores an attempt. Overwrites an earlier one of the request, whose commit no branch has got. */
  async put(attempt: NewAttempt): Promise<void> {
    await this.database.rows(PUT, [
      ...[attempt.mergeRequestId, attempt.commitSha, attempt.userId],
      ...[attempt.shouldRemoveSourceBranch, attempt.shouldRemoveGiven],
    ]);
  }

  /**
   * Finds the attempts that created some commits, with the requests into a project that they are of, and locks these
   * requests in ID order.
   */
  lockByCommits(projectId: number, commits: readonly string[]): Promise<AttemptedMerge[]> {
    const locks = 'ORDER BY m.id FOR NO KEY UPDATE OF m';
    return this.read(`m.project_id = $1 AND attempt.commit_sha = ANY($2::varchar[]) ${locks}`, [
      projectId,
      commits,
    ]);
  }

  /** Finds a merged request whose issues or source branch are not handled yet. Null when the merge is finished. */
  async findUnfinished(mergeRequestId: number): Promise<AttemptedMerge | null> {
    const [merge] = await this.read(`m.state = 'merged' AND m.id = $1`, [mergeRequestId]);
    return merge ?? null;
  }

  /** Finds the requests that were merged into a branch and whose merge is not finished. */
  findUnfinishedIn(projectId: number, targetBranch: string): Promise<AttemptedMerge[]> {
    return this.read(`m.state = 'merged' AND m.project_id = $1 AND m.target_branch = $2`, [
      projectId,
      targetBranch,
    ]);
  }

  async remove(mergeRequestId: number): Promise<void> {
    await this.database.of(MergeAttempt).delete({ mergeRequestId });
  }

  private async read(condition: string, parameters: readonly unknown[]): Promise<AttemptedMerge[]> {
    const rows = await this.database.rows<LocatedMergeRequest & Record<string, unknown>>(
      `${this.find} AND ${condition}`,
      parameters,
    );
    return rows.map((row) => ({ mergeRequest: row, attempt: this.attempts.read(row, ATTEMPT) }));
  }
}

/** The prefix of an attempt's columns. */
const ATTEMPT = 'attempt.';

const PUT = `
  INSERT INTO merge_attempts (merge_request_id, commit_sha, user_id, should_remove_source_branch,
                              should_remove_given)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (merge_request_id) DO UPDATE
     SET commit_sha = excluded.commit_sha, user_id = excluded.user_id,
         should_remove_source_branch = excluded.should_remove_source_branch,
         should_remove_given = excluded.should_remove_given, created_at = now()`;

const findStatement = (
  attempts: EntityColumns<MergeAttempt>,
  mergeRequests: EntityColumns<MergeRequest>,
): string => `
  SELECT ${locatedColumns(mergeRequests)}, ${attempts.list('attempt', ATTEMPT)}
    FROM merge_attempts attempt
    JOIN merge_requests m ON m.id = attempt.merge_request_id
    JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
    JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
   WHERE m.deleted_at IS NULL`;
