import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type Oid, type Repository } from '../../../git/index.js';
import { Database, plannedOnce } from '../../../platform/database/index.js';
import { ProjectStorage, type StoredProject } from '../../projects/index.js';
import type { MergeRequest } from '../merge-request.entity.js';

/** What names the two branches of a merge request. */
export type Branched = Pick<
  MergeRequest,
  'projectId' | 'sourceProjectId' | 'sourceBranch' | 'targetBranch'
>;

/** The two branches of a merge request, as they are now. */
export interface BranchHeads {
  targetProject: StoredProject;
  /** Of the target project: it has what was recorded of the source as well. */
  target: Repository;
  /** The same where both branches are in one project; null when the source project is gone. */
  source: Repository | null;
  /** Head of the target branch, null when there is none. */
  start: Oid | null;
  /** Head of the source branch, null when there is none. */
  head: Oid | null;
}

/** Looks at the branches that merge requests are between. */
@Injectable()
export class RequestBranches {
  constructor(
    private readonly database: Database,
    private readonly storage: ProjectStorage,
  ) {}

  /** Null when the target project is gone. */
  async of(request: Branched): Promise<BranchHeads | null> {
    const { projectId, sourceProjectId, sourceBranch, targetBranch } = request;
    const projects = await this.living([projectId, sourceProjectId ?? projectId]);
    const targetProject = projects.get(projectId);
    if (targetProject === undefined) return null;
    const target = this.storage.repository(targetProject);
    const sourceProject = sourceProjectId === null ? undefined : projects.get(sourceProjectId);
    const source = sourceProject === undefined ? null : this.storage.repository(sourceProject);
    return {
      targetProject,
      target,
      source,
      start: await target.refs.get(BRANCH_PREFIX + targetBranch),
      head: (await source?.refs.get(BRANCH_PREFIX + sourceBranch)) ?? null,
    };
  }

  /** Null for a project that is gone. */
  async repositoryOf(projectId: number): Promise<Repository | null> {
    const project = (await this.living([projectId])).get(projectId);
    return project === undefined ? null : this.storage.repository(project);
  }

  private async living(ids: readonly number[]): Promise<ReadonlyMap<number, StoredProject>> {
    const projects = await this.database.rows<StoredProject>(LIVING, [ids]);
    return new Map(projects.map((one) => [one.id, one]));
  }
}

const LIVING = `
  SELECT id, storage FROM projects
   WHERE id = ANY(${plannedOnce('$1', 'int')}) AND deleted_at IS NULL`;
