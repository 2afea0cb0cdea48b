import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { combined, type CombinedState } from './combined-status.js';
import type { StatusState } from './status-states.js';

export interface CommitWithStatus {
  commit: Commit;
  /** What its statuses come to, null without any. */
  status: CombinedState | null;
}

interface PipelineRow {
  sha: string;
  /** Null when all are left out. */
  states: StatusState[] | null;
  someLeftOut: boolean;
}

/** For each of the commits ($2) and each of their refs: the newest status of each name, as a set. */
const PIPELINES = `
  SELECT newest.sha,
         array_agg(DISTINCT newest.status) FILTER (WHERE NOT newest.forgiven) AS states,
         bool_or(newest.forgiven) AS "someLeftOut"
    FROM (SELECT DISTINCT ON (sha, ref, name) sha, ref, status,
                 allow_failure AND status IN ('failed', 'canceled') AS forgiven
            FROM commit_statuses
           WHERE project_id = $1 AND sha = ANY($2) AND ($3::varchar IS NULL OR ref = $3)
           ORDER BY sha, ref, name, id DESC) newest
   GROUP BY newest.sha, newest.ref`;

/** What the statuses of commits come to (open points 5.8). */
@Injectable()
export class CombinedStatuses {
  constructor(private readonly database: Database) {}

  /** By whole hash, over all refs; without those that have no status. One statement. */
  async ofCommits(
    projectId: number,
    shas: readonly string[],
  ): Promise<ReadonlyMap<string, CombinedState>> {
    if (shas.length === 0) return new Map();
    const pipelines = new Map<string, CombinedState[]>();
    for (const row of await this.pipelines(projectId, shas, null)) {
      const state = combined(row.states ?? [], row.someLeftOut);
      if (state !== null) pipelines.set(row.sha, [...(pipelines.get(row.sha) ?? []), state]);
    }
    const entries = [...pipelines].map(([sha, states]) => [sha, combined(states, false)] as const);
    return new Map(entries.filter((entry): entry is [string, CombinedState] => entry[1] !== null));
  }

  async ofCommit(projectId: number, sha: string): Promise<CombinedState | null> {
    return (await this.ofCommits(projectId, [sha])).get(sha) ?? null;
  }

  /** The commits with what their statuses come to. One statement. */
  async describe(projectId: number, commits: readonly Commit[]): Promise<CommitWithStatus[]> {
    const oids = commits.map(({ oid }) => oid);
    const statuses = await this.ofCommits(projectId, oids);
    return commits.map((commit) => ({ commit, status: statuses.get(commit.oid) ?? null }));
  }

  /** Of one commit on one ref: a pipeline. */
  async ofPipeline(projectId: number, sha: string, ref: string): Promise<CombinedState | null> {
    const [row] = await this.pipelines(projectId, [sha], ref);
    return row === undefined ? null : combined(row.states ?? [], row.someLeftOut);
  }

  private pipelines(
    projectId: number,
    shas: readonly string[],
    ref: string | null,
  ): Promise<PipelineRow[]> {
    return this.database.rows<PipelineRow>(PIPELINES, [projectId, shas, ref]);
  }
}
