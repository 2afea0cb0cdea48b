import { Injectable } from '@nestjs/common';
import { type Oid, ObjectMissingError } from '../../../git/index.js';
import { Database, UnitOfWork } from '../../../platform/database/index.js';
import { isOpen, type MergeRequest, type MergeStatus } from '../merge-request.entity.js';
import { type BranchHeads, type Branched, RequestBranches } from '../versions/request-branches.js';

/** Whoever pushes all the time keeps no reader waiting. */
const MAX_ROUNDS = 3;

/** What a status is found for. */
type Judged = Branched & Pick<MergeRequest, 'id' | 'state' | 'mergeStatus' | 'headSha'>;

/**
 * Finds out whether merge requests can be merged
 * (docs/reference/merge-requests.md#whether-it-can-be-merged).
 */
@Injectable()
export class Mergeability {
  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly branches: RequestBranches,
  ) {}

  /**
   * The status of a request: checked, unless it is known or nothing more can become of it. Never moves
   * `updated_at`.
   * @throws GitError
   */
  async check(request: Judged): Promise<MergeStatus> {
    let seen: Judged | undefined = request;
    for (let round = 1; seen !== undefined && round <= MAX_ROUNDS; round += 1) {
      if (!isOpen(seen) || seen.mergeStatus !== 'unchecked') return seen.mergeStatus;
      const heads = await this.branches.of(seen);
      const status = (await canBeMerged(heads, seen.headSha))
        ? 'can_be_merged'
        : 'cannot_be_merged';
      if (await this.keep(seen, heads, status)) return status;
      seen = await this.find(request.id);
    }
    return 'unchecked';
  }

  /**
   * Writes what was found unless it was found for other heads than the request has by now. A push that
   * has moved a branch and is not recorded yet makes it unknown again when it is.
   */
  private keep(seen: Judged, heads: BranchHeads | null, status: MergeStatus): Promise<boolean> {
    return this.work.run(async () => {
      const [current] = await this.database.rows<Judged>(LOCK, [seen.id]);
      if (current === undefined) return false;
      const isSame =
        isOpen(current) &&
        current.mergeStatus === 'unchecked' &&
        current.headSha === seen.headSha &&
        haveSameHeads(await this.branches.of(current), heads);
      if (isSame) await this.database.rows(KEEP, [seen.id, status, heads?.start ?? null]);
      return isSame;
    });
  }

  private async find(id: number): Promise<Judged | undefined> {
    const [row] = await this.database.rows<Judged>(FIND, [id]);
    return row;
  }
}

async function canBeMerged(heads: BranchHeads | null, headSha: Oid | null): Promise<boolean> {
  if (heads === null || headSha === null || heads.head === null || heads.start === null)
    return false;
  const { target, start } = heads;
  try {
    if (await target.isAncestor(headSha, start)) return false;
    return await target.canMerge(start, headSha);
  } catch (error) {
    if (error instanceof ObjectMissingError) return false;
    throw error;
  }
}

/** Of the source branch only whether it is there: its head counts once it is recorded. */
function haveSameHeads(one: BranchHeads | null, other: BranchHeads | null): boolean {
  const isThere = (heads: BranchHeads | null): boolean => (heads?.head ?? null) !== null;
  return one?.start === other?.start && isThere(one) === isThere(other);
}

const FIND = `
  SELECT id, project_id AS "projectId", source_project_id AS "sourceProjectId",
         source_branch AS "sourceBranch", target_branch AS "targetBranch", state,
         merge_status AS "mergeStatus", head_sha AS "headSha"
    FROM merge_requests WHERE id = $1 AND deleted_at IS NULL`;

const LOCK = `${FIND} FOR NO KEY UPDATE`;

const KEEP = `UPDATE merge_requests SET merge_status = $2, checked_target_sha = $3 WHERE id = $1`;
