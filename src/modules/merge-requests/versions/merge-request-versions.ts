import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { ProjectStorage, type StoredProject } from '../../projects/index.js';
import type { MergeRequest } from '../merge-request.entity.js';

/** What recording a version looks at. */
export type Versioned = Pick<
  MergeRequest,
  'id' | 'iid' | 'projectId' | 'sourceProjectId' | 'sourceBranch' | 'targetBranch'
>;

const HEADS = 'refs/heads/';

/** Records what merge requests consist of, time after time (open points 5.5). */
@Injectable()
export class MergeRequestVersions {
  constructor(
    private readonly database: Database,
    private readonly storage: ProjectStorage,
  ) {}

  /**
   * Records the branches as they are now: a version, the head of the request, and that nobody knows
   * whether it can be merged. What was recorded last is not recorded again; nor is anything when a
   * branch is missing. Call inside a unit of work with the request's row locked.
   */
  async record(mergeRequest: Versioned): Promise<void> {
    const { id, projectId, sourceProjectId, sourceBranch, targetBranch } = mergeRequest;
    const places = await this.database.rows<StoredProject>(PLACES, [[projectId, sourceProjectId]]);
    const head = await this.headOf(places, sourceProjectId, sourceBranch);
    const start = await this.headOf(places, projectId, targetBranch);
    if (head === null || start === null) return;
    const base = await this.baseOf(places, projectId, { head, start });
    await this.database.rows(RECORD, [id, base, start, head]);
  }

  private async headOf(
    places: readonly StoredProject[],
    projectId: number | null,
    branch: string,
  ): Promise<Oid | null> {
    const place = places.find((project) => project.id === projectId);
    return place === undefined
      ? null
      : this.storage.repository(place).refs.get(`${HEADS}${branch}`);
  }

  private async baseOf(
    places: readonly StoredProject[],
    projectId: number,
    { head, start }: { head: Oid; start: Oid },
  ): Promise<Oid | null> {
    const place = places.find((project) => project.id === projectId);
    if (place === undefined) return null;
    const repository = this.storage.repository(place);
    const isThere = (await repository.commitOf(head)) !== null;
    return isThere ? repository.mergeBase(start, head) : null;
  }
}

const PLACES = `SELECT id, storage FROM projects WHERE id = ANY($1::int[]) AND deleted_at IS NULL`;

const RECORD = `
  WITH latest AS (
    SELECT v.start_commit_sha, v.head_commit_sha
      FROM merge_requests m JOIN merge_request_versions v ON v.id = m.latest_version_id
     WHERE m.id = $1
  ), recorded AS (
    INSERT INTO merge_request_versions
      (merge_request_id, base_commit_sha, start_commit_sha, head_commit_sha, state)
    SELECT $1::int, $2::varchar, $3::varchar, $4::varchar, CASE WHEN $2 = $4 THEN 'empty' ELSE 'collected' END
     WHERE NOT EXISTS (SELECT 1 FROM latest
                        WHERE latest.start_commit_sha = $3 AND latest.head_commit_sha = $4)
    RETURNING id)
  UPDATE merge_requests m
     SET head_sha = $4, latest_version_id = recorded.id, merge_status = 'unchecked',
         checked_target_sha = NULL
    FROM recorded WHERE m.id = $1`;
