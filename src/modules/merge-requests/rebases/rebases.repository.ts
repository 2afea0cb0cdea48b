import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { RebaseProblem } from '../model/merge-request.entity.js';

/** Writes how far the rebase of a merge request is. Leaves `updated_at` as it is. */
@Injectable()
export class RebasesRepository {
  constructor(private readonly database: Database) {}

  /** Stores the job of a rebase in a row that the unit of work has locked. */
  async begin(id: number, jobId: string): Promise<void> {
    await this.database.rows(BEGIN, [id, jobId]);
  }

  /** Whether the result of the rebase that a job makes is not recorded yet. */
  async isUnrecorded(id: number, jobId: string): Promise<boolean> {
    return (await this.database.rows(FIND_UNRECORDED, [id, jobId])).length > 0;
  }

  /** Records the result of the rebase that a job makes, unless it is recorded already. @param problem null: success */
  async finish(id: number, jobId: string, problem: RebaseProblem | null): Promise<void> {
    await this.database.rows(FINISH, [id, jobId, problem]);
  }
}

const BEGIN = `
  UPDATE merge_requests SET rebase_job_id = $2, rebase_problem = NULL WHERE id = $1`;

const FIND_UNRECORDED = 'SELECT FROM merge_requests WHERE id = $1 AND rebase_job_id = $2';

const FINISH = `
  UPDATE merge_requests SET rebase_job_id = NULL, rebase_problem = $3
   WHERE id = $1 AND rebase_job_id = $2`;
