import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../git/index.js';
import { BatchedReads, Database } from '../../../platform/database/index.js';
import type { ProjectRef } from '../../access/index.js';
import { combined, type CombinedState } from './combined-status.js';
import type { StatusState } from './status-states.js';

export interface CommitWithStatus {
  commit: Commit;
  /** What its statuses come to, null without any. */
  status: CombinedState | null;
}

interface PipelineRow {
  projectId: number;
  sha: string;
  /** Null when all are left out. */
  states: StatusState[] | null;
  someLeftOut: boolean;
}

/**
 * For each of some commits ($2) of projects ($1), and for each of their refs: the newest status of
 * each name, as a set.
 */
const PIPELINES = `
  SELECT newest.project_id AS "projectId", newest.sha,
         array_agg(DISTINCT newest.status) FILTER (WHERE NOT newest.forgiven) AS states,
         bool_or(newest.forgiven) AS "someLeftOut"
    FROM (SELECT DISTINCT ON (project_id, sha, ref, name) project_id, sha, ref, status,
                 allow_failure AND status IN ('failed', 'canceled') AS forgiven
            FROM commit_statuses
           WHERE (project_id, sha) IN (SELECT * FROM unnest($1::int[], $2::varchar[]))
             AND ($3::varchar IS NULL OR ref = $3)
           ORDER BY project_id, sha, ref, name, id DESC) newest
   GROUP BY newest.project_id, newest.sha, newest.ref`;

/** Commits of a project. */
interface Question {
  projectId: number;
  /** Whole hashes. */
  shas: readonly string[];
}

/** By whole hash, without those that have no status. */
type States = ReadonlyMap<string, CombinedState>;

/** A project that has no status is not asked for any. */
type StatusedProject = Pick<ProjectRef, 'id' | 'hasStatuses'>;

/** What the statuses of commits come to (docs/reference/commit-statuses.md#the-status-of-a-commit). */
@Injectable()
export class CombinedStatuses {
  private readonly reads = new BatchedReads<Question, States>({
    key: ({ projectId, shas }) => `${String(projectId)} ${shas.join(' ')}`,
    answer: (questions) => this.answers(questions),
  });

  constructor(private readonly database: Database) {}

  /** Over all refs; all who ask at the same moment share a statement. */
  ofCommits({ id, hasStatuses }: StatusedProject, shas: readonly string[]): Promise<States> {
    if (!hasStatuses || shas.length === 0) return Promise.resolve(new Map());
    return this.reads.ask({ projectId: id, shas });
  }

  async ofCommit(project: StatusedProject, sha: string): Promise<CombinedState | null> {
    return (await this.ofCommits(project, [sha])).get(sha) ?? null;
  }

  /** The commits with what their statuses come to, in the same way. */
  async describe(
    project: StatusedProject,
    commits: readonly Commit[],
  ): Promise<CommitWithStatus[]> {
    const oids = commits.map(({ oid }) => oid);
    const statuses = await this.ofCommits(project, oids);
    return commits.map((commit) => ({ commit, status: statuses.get(commit.oid) ?? null }));
  }

  /** Of one commit on one ref: a pipeline. */
  async ofPipeline(projectId: number, sha: string, ref: string): Promise<CombinedState | null> {
    const [row] = await this.pipelines([{ projectId, shas: [sha] }], ref);
    return row === undefined ? null : combined(row.states ?? [], row.someLeftOut);
  }

  private async answers(questions: readonly Question[]): Promise<States[]> {
    const pipelines = new Map<string, CombinedState[]>();
    for (const row of await this.pipelines(questions, null)) {
      const state = combined(row.states ?? [], row.someLeftOut);
      const key = keyOf(row.projectId, row.sha);
      if (state !== null) pipelines.set(key, [...(pipelines.get(key) ?? []), state]);
    }
    const isAny = pipelines.size > 0;
    return questions.map((question) => (isAny ? statesOf(question, pipelines) : new Map()));
  }

  private pipelines(questions: readonly Question[], ref: string | null): Promise<PipelineRow[]> {
    const commits = new Map<string, { projectId: number; sha: string }>();
    for (const { projectId, shas } of questions) {
      for (const sha of shas) commits.set(keyOf(projectId, sha), { projectId, sha });
    }
    const asked = [...commits.values()];
    return this.database.rows<PipelineRow>(PIPELINES, [
      asked.map(({ projectId }) => projectId),
      asked.map(({ sha }) => sha),
      ref,
    ]);
  }
}

function keyOf(projectId: number, sha: string): string {
  return `${String(projectId)} ${sha}`;
}

function statesOf(
  { projectId, shas }: Question,
  pipelines: ReadonlyMap<string, CombinedState[]>,
): States {
  const states = new Map<string, CombinedState>();
  for (const sha of shas) {
    const state = combined(pipelines.get(keyOf(projectId, sha)) ?? [], false);
    if (state !== null) states.set(sha, state);
  }
  return states;
}
