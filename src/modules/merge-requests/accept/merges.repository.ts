import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { PipelineKey } from '../../repository/index.js';
import type { MergeRequest } from '../merge-request.entity.js';
import { isBranch, OPEN } from '../open-requests.sql.js';

/** What merging has to know and to write besides the merge request itself. */
@Injectable()
export class MergesRepository {
  constructor(private readonly database: Database) {}

  /** Whether the project merges only what has been built with success. */
  async awaitsBuilds(projectId: number): Promise<boolean> {
    const [row] = await this.database.rows<{ awaits: boolean }>(AWAITS_BUILDS, [projectId]);
    return row?.awaits === true;
  }

  /** @param commitSha null for one that was merged by hand */
  async noteCommit(id: number, commitSha: string | null): Promise<void> {
    await this.database.rows('UPDATE merge_requests SET merge_commit_sha = $2 WHERE id = $1', [
      id,
      commitSha,
    ]);
  }

  /** The open ones whose head a pipeline is of, by ID. */
  ofPipeline({
    projectId,
    ref,
    sha,
  }: PipelineKey): Promise<Pick<MergeRequest, 'id' | 'authorId' | 'mergeWhenBuildSucceeds'>[]> {
    return this.database.rows(OF_PIPELINE, [projectId, ref, sha]);
  }
}

const AWAITS_BUILDS = `
  SELECT only_allow_merge_if_build_succeeds AS awaits FROM projects WHERE id = $1`;

const OF_PIPELINE = `
  SELECT m.id, m.author_id AS "authorId",
         m.merge_when_build_succeeds AS "mergeWhenBuildSucceeds"
    FROM merge_requests m
   WHERE m.source_project_id = $1 AND ${isBranch('m.source_branch', '$2')} AND m.head_sha = $3
     AND ${OPEN}
   ORDER BY m.id`;
