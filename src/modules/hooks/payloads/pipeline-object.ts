import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, TAG_PREFIX } from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { ProjectStorage, type ToldProject } from '../../projects/index.js';
import { CommitStatus } from '../../repository/index.js';

/** The only stage there is (open points 5.8). */
export const STAGE = 'external';

/** More statuses of one pipeline are not told of: the payload is kept, and sent many times. */
const MAX_BUILDS = 500;

/** The statuses of one commit on one ref, taken together. */
export interface ToldPipeline {
  /** That of the first status. */
  id: number;
  createdAt: Date;
  /** Null as long as none has been at work. */
  startedAt: Date | null;
  /** Null as long as one is unfinished. */
  finishedAt: Date | null;
  /** Whole seconds from the first start to the last end; null while one is unknown. */
  duration: number | null;
  isTag: boolean;
}

interface PipelineRow {
  id: number;
  createdAt: Date;
  startedAt: Date | null;
  lastFinishedAt: Date | null;
  isFinished: boolean;
}

/** Which pipeline a status belongs to. */
export type PipelineName = Pick<CommitStatus, 'projectId' | 'sha' | 'ref'>;

const NEWEST = `
  SELECT DISTINCT ON (name) * FROM commit_statuses
   WHERE project_id = $1 AND sha = $2 AND ref = $3 ORDER BY name, id DESC`;

const PIPELINE = `
  SELECT (SELECT min(id) FROM commit_statuses
           WHERE project_id = $1 AND sha = $2 AND ref = $3) AS id,
         (SELECT min(created_at) FROM commit_statuses
           WHERE project_id = $1 AND sha = $2 AND ref = $3) AS "createdAt",
         min(started_at) AS "startedAt", max(finished_at) AS "lastFinishedAt",
         bool_and(finished_at IS NOT NULL) AS "isFinished"
    FROM (${NEWEST}) AS newest`;

/** Finds what the payloads of builds and pipelines tell of the statuses of a commit (open points 7.7). */
@Injectable()
export class PipelineObjects {
  constructor(
    private readonly database: Database,
    private readonly storage: ProjectStorage,
  ) {}

  async find(project: ToldProject, { projectId, sha, ref }: PipelineName): Promise<ToldPipeline> {
    const [row] = await this.database.rows<PipelineRow>(PIPELINE, [projectId, sha, ref]);
    const { id, createdAt, startedAt, lastFinishedAt, isFinished } = row as PipelineRow;
    const finishedAt = isFinished ? lastFinishedAt : null;
    const duration = wholeSeconds(startedAt, finishedAt);
    const isTag = await this.isTag(project, ref);
    return { id, createdAt, startedAt, finishedAt, duration, isTag };
  }

  /** The newest status of each name, the oldest first. */
  builds({ projectId, sha, ref }: PipelineName): Promise<CommitStatus[]> {
    return this.database
      .of(CommitStatus)
      .createQueryBuilder('status')
      .where(
        `status.id IN (SELECT max(id) FROM commit_statuses
                        WHERE project_id = :projectId AND sha = :sha AND ref = :ref GROUP BY name)`,
        { projectId, sha, ref },
      )
      .orderBy('status.id')
      .limit(MAX_BUILDS)
      .getMany();
  }

  /** A branch goes before a tag of its name. */
  private async isTag(project: ToldProject, ref: string): Promise<boolean> {
    const { refs } = this.storage.repository(project);
    if ((await refs.get(`${BRANCH_PREFIX}${ref}`)) !== null) return false;
    return (await refs.get(`${TAG_PREFIX}${ref}`)) !== null;
  }
}

/** Between two moments; null where one is unknown. */
export function seconds(from: Date | null, to: Date | null): number | null {
  return from === null || to === null ? null : (to.getTime() - from.getTime()) / 1_000;
}

/** The same without the fraction: receivers have integers for it. */
function wholeSeconds(from: Date | null, to: Date | null): number | null {
  const exact = seconds(from, to);
  return exact === null ? null : Math.trunc(exact);
}
