import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/index.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { COLUMNS } from '../merge-requests.repository.js';
import { MergeAttempt } from './merge-attempt.entity.js';

/** Merges that are under way or not finished with. */
@Injectable()
export class MergeAttemptsRepository {
  constructor(private readonly database: Database) {}

  /** Takes the place of an attempt of which nothing came. */
  async put(attempt: Omit<MergeAttempt, 'createdAt'>): Promise<void> {
    await this.database.rows(PUT, [
      ...[attempt.mergeRequestId, attempt.commitSha, attempt.userId],
      ...[attempt.shouldRemoveSourceBranch, attempt.shouldRemoveGiven],
    ]);
  }

  find(mergeRequestId: number): Promise<MergeAttempt | null> {
    return this.database.of(MergeAttempt).findOneBy({ mergeRequestId });
  }

  /** Those that made some commits, by the IDs of the requests. */
  ofCommits(commits: readonly string[]): Promise<MergeAttempt[]> {
    return this.database
      .of(MergeAttempt)
      .find({ where: { commitSha: In([...commits]) }, order: { mergeRequestId: 'ASC' } });
  }

  async remove(mergeRequestId: number): Promise<void> {
    await this.database.of(MergeAttempt).delete({ mergeRequestId });
  }

  /** The merge requests that were merged into a branch and whose merge is not finished with. */
  unfinishedIn(
    projectId: number,
    targetBranch: string,
  ): Promise<(LocatedMergeRequest & { mergerId: number })[]> {
    return this.database.rows(UNFINISHED_IN, [projectId, targetBranch]);
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

const UNFINISHED_IN = `
  SELECT ${COLUMNS}, attempt.user_id AS "mergerId"
    FROM merge_attempts attempt
    JOIN merge_requests m ON m.id = attempt.merge_request_id AND m.deleted_at IS NULL
    JOIN projects p ON p.id = m.project_id
    JOIN namespaces n ON n.id = p.namespace_id
   WHERE m.project_id = $1 AND m.target_branch = $2 AND m.state = 'merged'`;
