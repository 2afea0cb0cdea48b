import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../../git/index.js';
import { violatedUnique } from '../../../platform/database/index.js';
import { conflict, invalidRecord, unprocessable } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { invalidFields } from '../../issuables/index.js';
import { ForksRepository, ProjectStorage } from '../../projects/index.js';
import { MergeRequestsRepository, OPEN_KEY } from '../merge-requests.repository.js';

/** Where the commits come from and where they are to go. */
export interface Branches<Source = ProjectRef> {
  readonly source: Source;
  readonly sourceBranch: string;
  readonly target: ProjectRef;
  readonly targetBranch: string;
}

/** A source whose branch need not be there. */
type SomeSource = Branches<{ readonly id: number | null }>;

/**
 * Asks whether there can be a merge request for two branches
 * (docs/reference/merge-requests.md#post-projectsidmerge_requests).
 */
@Injectable()
export class BranchChecks {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly forks: ForksRepository,
    private readonly mergeRequests: MergeRequestsRepository,
  ) {}

  /**
   * Whether the source is a fork of the target, or the target itself. In a unit of work it stays so
   * until the end: whoever severs the two finds the request then.
   * @throws DomainError unprocessable
   */
  async assertRelated({ source, target }: Pick<Branches, 'source' | 'target'>): Promise<void> {
    if (source.id === target.id || (await this.forks.hold(source.id, target.id))) return;
    throw unprocessable({ error: ['Source project is not a fork of the target project'] });
  }

  /**
   * Whether both branches are there, and no other request is open for them.
   * @param exceptId the request that asks for itself
   * @throws DomainError unprocessable, conflict, invalid record
   */
  async assertPossible(branches: Branches, exceptId?: number): Promise<void> {
    await this.assertAlone(branches, exceptId);
    const { source, sourceBranch, target, targetBranch } = branches;
    const errors = invalidFields({
      source_branch: await this.missing(source, sourceBranch),
      target_branch: await this.missing(target, targetBranch),
    });
    if (errors !== null) throw invalidRecord(errors);
  }

  /** The same, but for the source branch, which may be gone. */
  async assertTarget(branches: SomeSource, exceptId: number): Promise<void> {
    await this.assertAlone(branches, exceptId);
    const missing = await this.missing(branches.target, branches.targetBranch);
    if (missing.length > 0) throw invalidRecord({ target_branch: missing });
  }

  /**
   * Does work that makes a request the open one for its branches; once more when somebody else was
   * first, because then `assertPossible` tells of whom.
   * @throws DomainError conflict
   */
  async untilAlone<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (violatedUnique(error) !== OPEN_KEY) throw error;
    }
    try {
      return await work();
    } catch (error) {
      throw violatedUnique(error) === OPEN_KEY ? conflict() : error;
    }
  }

  private async assertAlone(branches: SomeSource, exceptId?: number): Promise<void> {
    const { source, sourceBranch, target, targetBranch } = branches;
    if (source.id === target.id && sourceBranch === targetBranch) {
      throw unprocessable({ error: ['You can not use same project/branch for source and target'] });
    }
    const pair = { sourceProjectId: source.id, sourceBranch, projectId: target.id, targetBranch };
    const title = await this.mergeRequests.titleOfOpen(pair, exceptId);
    if (title === null) return;
    const named = JSON.stringify([title]);
    throw conflict([`Cannot Create: This merge request already exists: ${named}`]);
  }

  private async missing(project: ProjectRef, branch: string): Promise<string[]> {
    const head = await this.storage.repository(project).refs.get(`${BRANCH_PREFIX}${branch}`);
    return head === null ? ['does not exist'] : [];
  }
}
