import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { MergeAttempt } from '../accept/merge-attempt.entity.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';

/** Writes that merge requests are merged whose heads their target branches have got (open points 5.6). */
@Injectable()
export class ArrivedRequests {
  constructor(private readonly database: Database) {}

  /**
   * Somebody has accepted the request if the branch stands at the commit of their attempt, also when the
   * process died that made it; otherwise it was merged by hand.
   * @param userId who pushed
   * @param target where the target branch stands now
   */
  async record(
    { id }: LocatedMergeRequest,
    userId: number,
    target: Oid | undefined,
  ): Promise<void> {
    const attempt = await this.database.of(MergeAttempt).findOneBy({ mergeRequestId: id });
    const merge =
      attempt !== null && attempt.commitSha === target
        ? { commitSha: attempt.commitSha, userId: attempt.userId }
        : { commitSha: null, userId };
    await this.database.rows(RECORD, [id, merge.commitSha, merge.userId]);
  }
}

const RECORD = `
  UPDATE merge_requests
     SET state = 'merged', merge_commit_sha = $2, merge_user_id = $3, updated_at = now()
   WHERE id = $1`;
