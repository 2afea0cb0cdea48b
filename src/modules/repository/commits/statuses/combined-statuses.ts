import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../../git/index.js';
import { BatchedReads } from '../../../../platform/database/index.js';
import type { ProjectRef } from '../../../authorization/index.js';
import { CommitStatusesRepository, type PipelineKey } from './commit-statuses.repository.js';
import { type CombinedState, combineStates } from './status.rules.js';

export interface CommitWithStatus {
  commit: Commit;
  /** The combined status; null when the commit has no statuses. */
  status: CombinedState | null;
}

/** Commits of a project. */
interface CommitsQuery {
  projectId: number;
  /** Full hashes. */
  shas: readonly string[];
}

/** The combined statuses by full hash, without commits that have none. */
type StatesByCommit = ReadonlyMap<string, CombinedState>;

/** No statement is made for a project without statuses. */
type StatusedProject = Pick<ProjectRef, 'id' | 'hasStatuses'>;

/** Combines the statuses of commits and pipelines (docs/reference/commit-statuses.md#the-status-of-a-commit). */
@Injectable()
export class CombinedStatuses {
  private readonly reads = new BatchedReads<CommitsQuery, StatesByCommit>({
    key: ({ projectId, shas }) => `${String(projectId)} ${shas.join(' ')}`,
    answer: (queries) => this.answerAll(queries),
  });

  constructor(private readonly statuses: CommitStatusesRepository) {}

  /** Combines the statuses of commits over all refs. Concurrent callers share a statement. */
  ofCommits(
    { id, hasStatuses }: StatusedProject,
    shas: readonly string[],
  ): Promise<StatesByCommit> {
    if (!hasStatuses || shas.length === 0) return Promise.resolve(new Map());
    return this.reads.ask({ projectId: id, shas });
  }

  async ofCommit(project: StatusedProject, sha: string): Promise<CombinedState | null> {
    return (await this.ofCommits(project, [sha])).get(sha) ?? null;
  }

  /** Combines the statuses of one commit on one ref; null without any. */
  async ofPipeline(pipeline: PipelineKey): Promise<CombinedState | null> {
    const [state] = await this.ofPipelines([pipeline]);
    return state ?? null;
  }

  /** Does the same for several, in their order. */
  async ofPipelines(pipelines: readonly PipelineKey[]): Promise<(CombinedState | null)[]> {
    if (pipelines.length === 0) return [];
    const found = new Map<string, CombinedState | null>();
    for (const row of await this.statuses.findPipelines(pipelines)) {
      found.set(pipelineKeyOf(row), combineStates(row.states ?? [], row.hasForgiven));
    }
    return pipelines.map((pipeline) => found.get(pipelineKeyOf(pipeline)) ?? null);
  }

  /** Does the same, and locks the pipeline: until the end of the unit of work no status of it changes. */
  async lockPipeline(pipeline: PipelineKey): Promise<CombinedState | null> {
    await this.statuses.lockPipeline(pipeline);
    return this.ofPipeline(pipeline);
  }

  private async answerAll(queries: readonly CommitsQuery[]): Promise<StatesByCommit[]> {
    const commits = new Map<string, { projectId: number; sha: string; ref: null }>();
    for (const { projectId, shas } of queries) {
      for (const sha of shas) {
        commits.set(keyOf(projectId, sha), { projectId, sha, ref: null });
      }
    }
    const pipelines = new Map<string, CombinedState[]>();
    for (const row of await this.statuses.findPipelines([...commits.values()])) {
      const state = combineStates(row.states ?? [], row.hasForgiven);
      const key = keyOf(row.projectId, row.sha);
      if (state !== null) pipelines.set(key, [...(pipelines.get(key) ?? []), state]);
    }
    return queries.map((query) => combineByCommit(query, pipelines));
  }
}

function keyOf(projectId: number, sha: string): string {
  return `${String(projectId)} ${sha}`;
}

const pipelineKeyOf = ({ projectId, sha, ref }: PipelineKey): string =>
  `${keyOf(projectId, sha)} ${ref}`;

function combineByCommit(
  { projectId, shas }: CommitsQuery,
  pipelines: ReadonlyMap<string, CombinedState[]>,
): StatesByCommit {
  const states = new Map<string, CombinedState>();
  if (pipelines.size === 0) return states;
  for (const sha of shas) {
    const state = combineStates(pipelines.get(keyOf(projectId, sha)) ?? [], false);
    if (state !== null) states.set(sha, state);
  }
  return states;
}
