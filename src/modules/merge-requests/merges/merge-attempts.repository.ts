import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/index.js';
import type { LocatedMergeRequest } from '../model/merge-requests.repository.js';
import { COLUMNS } from '../model/merge-request.sql.js';
import { MergeAttempt } from './merge-attempt.entity.js';

/** A merged request whose issues are not all closed yet, or whose source branch is not removed yet. */
export interface UnfinishedMerge {
  mergeRequest: LocatedMergeRequest;
  attempt: MergeAttempt;
}

/** Attempts to merge that are under way, or whose merge is recorded and not finished. */
@Injectable()
export class MergeAttemptsRepository {
  constructor(private readonly database: Database) {}

  /** Stores an attempt. Overwrites an earlier one of the request, whose commit no branch has got. */
  async put(attempt: Omit<MergeAttempt, 'createdAt'>): Promise<void> {
    await this.database.rows(PUT, [
      ...[attempt.mergeRequestId, attempt.commitSha, attempt.userId],
      ...[attempt.shouldRemoveSourceBranch, attempt.shouldRemoveGiven],
    ]);
  }

  /** Finds the attempts that created some commits, by the IDs of the requests. */
  findByCommits(commits: readonly string[]): Promise<MergeAttempt[]> {
    return this.database
      .of(MergeAttempt)
      .find({ where: { commitSha: In([...commits]) }, order: { mergeRequestId: 'ASC' } });
  }

  async remove(mergeRequestId: number): Promise<void> {
    await this.database.of(MergeAttempt).delete({ mergeRequestId });
  }

  /** Finds a merged request with its attempt. Null when the merge is finished. */
  async findUnfinished(mergeRequestId: number): Promise<UnfinishedMerge | null> {
    const [merge] = await this.unfinished('m.id = $1', [mergeRequestId]);
    return merge ?? null;
  }

  /** Finds the requests that were merged into a branch and whose merge is not finished. */
  findUnfinishedIn(projectId: number, targetBranch: string): Promise<UnfinishedMerge[]> {
    return this.unfinished('m.project_id = $1 AND m.target_branch = $2', [projectId, targetBranch]);
  }

  private async unfinished(
    condition: string,
    parameters: readonly unknown[],
  ): Promise<UnfinishedMerge[]> {
    const attempts = this.database.columns(MergeAttempt);
    const rows = await this.database.rows<LocatedMergeRequest & Record<string, unknown>>(
      `SELECT ${COLUMNS}, ${attempts.list('attempt', 'attempt.')} ${FROM_UNFINISHED} AND ${condition}`,
      parameters,
    );
    return rows.map((row) => ({ mergeRequest: row, attempt: attempts.read(row, 'attempt.') }));
  }
}

const PUT = `
  INSERT INTO merge_attempts (merge_request_id, commit_sha, user_id, should_remove_source_branch,
                              should_remove_given)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (merge_request_id) DO UPDATE
     SET commit_sha = excluded.commit_sha, user_id = excluded.user_id,
         should_remove_source_branch = excluded.should_remove_source_branch,
         should_remove_given = excluded.should_remove_given, created_at = now()`;

const FROM_UNFINISHED = `
  FROM merge_attempts attempt
  JOIN merge_requests m ON m.id = attempt.merge_request_id AND m.deleted_at IS NULL
  JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
  JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
 WHERE m.state = 'merged'`;
