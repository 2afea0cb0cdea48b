import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { PageRequest } from '../../../platform/http/index.js';
import { MergeRequestVersion } from './merge-request-version.entity.js';
import type { VersionFacts } from './version-facts.js';
import type { VersionEnds } from './version-objects.js';

export interface RecordedVersion extends VersionEnds {
  /** Whether it has no commits. */
  isEmpty: boolean;
}

/** The rows of versions. */
@Injectable()
export class VersionsRepository {
  constructor(private readonly database: Database) {}

  /** What was recorded of a request last. */
  async newestOf(mergeRequestId: number): Promise<RecordedVersion | null> {
    const [row] = await this.database.rows<RecordedVersion>(NEWEST_OF, [mergeRequestId]);
    return row ?? null;
  }

  /** Writes a version, which becomes the newest one of its request. */
  async insert(mergeRequestId: number, facts: VersionFacts): Promise<void> {
    const { baseCommitSha, startCommitSha, headCommitSha, state, realSize } = facts;
    await this.database.rows(INSERT, [
      mergeRequestId,
      ...[baseCommitSha, startCommitSha, headCommitSha, state, realSize],
    ]);
  }

  /** Nobody knows any more whether a request can be merged. */
  async forgetStatus(mergeRequestId: number): Promise<void> {
    await this.database.rows(FORGET_STATUS, [mergeRequestId]);
  }

  /** The newest first, and how many there are. */
  async list(
    mergeRequestId: number,
    { page, per_page: perPage }: PageRequest,
  ): Promise<{ versions: MergeRequestVersion[]; total: number }> {
    const [versions, total] = await this.database.of(MergeRequestVersion).findAndCount({
      where: { mergeRequestId },
      order: { id: 'DESC' },
      skip: (page - 1) * perPage,
      take: perPage,
    });
    return { versions, total };
  }

  find(mergeRequestId: number, id: number): Promise<MergeRequestVersion | null> {
    return this.database.of(MergeRequestVersion).findOneBy({ id, mergeRequestId });
  }
}

const NEWEST_OF = `
  SELECT v.start_commit_sha AS start, v.head_commit_sha AS head, v.state = 'empty' AS "isEmpty"
    FROM merge_requests m JOIN merge_request_versions v ON v.id = m.latest_version_id
   WHERE m.id = $1`;

const INSERT = `
  WITH recorded AS (
    INSERT INTO merge_request_versions
      (merge_request_id, base_commit_sha, start_commit_sha, head_commit_sha, state, real_size)
    VALUES ($1, $2, $3, $4, $5, $6)
    RETURNING id)
  UPDATE merge_requests m SET head_sha = $4, latest_version_id = recorded.id
    FROM recorded WHERE m.id = $1`;

const FORGET_STATUS = `
  UPDATE merge_requests SET merge_status = 'unchecked', checked_target_sha = NULL WHERE id = $1`;
