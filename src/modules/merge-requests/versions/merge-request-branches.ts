import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  GitClosedError,
  GitError,
  ObjectMissingError,
  type Oid,
  type Repository,
} from '../../../git/index.js';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import { assertValid, conflict, type FieldProblem } from '../../../platform/errors/index.js';
import { COUNTED_ITEMS } from '../../../platform/pagination/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type ProjectRef,
  type Subject,
} from '../../authorization/index.js';
import { ForksRepository } from '../../projects/index.js';
import { ProjectStorage, type StoredProject } from '../../storage/index.js';
import {
  type BranchPair,
  MergeRequestsRepository,
  OPEN_KEY,
} from '../model/merge-requests.repository.js';
import { isOpen, type MergeStatus } from '../model/merge-request.entity.js';
import { branchPairRefused, mergeRequestExists } from '../model/refusals.js';
import { type CheckedRequest, VersionsRepository } from './versions.repository.js';

/** The most rounds of a check whose branches change meanwhile; a reader does not wait longer. */
const MAX_ROUNDS = 3;

/** The two branches of a merge request, as they are now. */
export interface BranchHeads {
  targetProject: StoredProject;
  /** The repository of the target project. It also has the recorded commits of the source. */
  target: Repository;
  /** The same repository when both branches are in one project; null when the source project is deleted. */
  source: Repository | null;
  /** Head of the target branch, null when there is none. */
  start: Oid | null;
  /** Head of the source branch, null when there is none. */
  head: Oid | null;
}

/** A source and a target branch with their projects. */
export interface Branches<Source = ProjectRef> {
  readonly source: Source;
  readonly sourceBranch: string;
  readonly target: ProjectRef;
  readonly targetBranch: string;
}

/** Branches of which the source need not exist any more. */
type BranchesWithTarget = Branches<{ readonly id: number | null }>;

/**
 * The two branches of merge requests: their heads, whether they can be merged, and whether there can be a request
 * for them (docs/reference/merge-requests.md#post-projectsidmerge_requests).
 */
@Injectable()
export class MergeRequestBranches {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly projects: ProjectAccessRepository,
    private readonly forks: ForksRepository,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly versions: VersionsRepository,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Finds the heads of both branches. Null when the target project is deleted.
   * @param client waits for what git does with the repositories; absent: none
   */
  async findHeads(request: BranchPair, client?: SlotCaller): Promise<BranchHeads | null> {
    const { projectId, sourceProjectId, sourceBranch, targetBranch } = request;
    const projects = await this.mergeRequests.findStorages([
      projectId,
      sourceProjectId ?? projectId,
    ]);
    const targetProject = projects.get(projectId);
    if (targetProject === undefined) return null;
    const open = (project: StoredProject): Repository =>
      this.storage.repository({ ...project, client });
    const target = open(targetProject);
    const sourceProject = sourceProjectId === null ? undefined : projects.get(sourceProjectId);
    const source = sourceProject === undefined ? null : open(sourceProject);
    return {
      targetProject,
      target,
      source,
      start: await target.refs.get(BRANCH_PREFIX + targetBranch),
      head: (await source?.refs.get(BRANCH_PREFIX + sourceBranch)) ?? null,
    };
  }

  /** Finds the repository of a project. Null when the project is deleted. */
  async findRepository(projectId: number): Promise<Repository | null> {
    const project = (await this.mergeRequests.findStorages([projectId])).get(projectId);
    return project === undefined ? null : this.storage.repository(project);
  }

  /**
   * Returns a user's access to the source project if they may delete branches there, else null. Does not
   * check whether the branch is protected or the default branch.
   */
  async findRemovableSource(
    user: Subject,
    sourceProjectId: number | null,
  ): Promise<ProjectAccess | null> {
    if (sourceProjectId === null) return null;
    const access = await this.projects.find(user, { id: sourceProjectId });
    return access !== null && mayRemoveBranches(access) ? access : null;
  }

  /**
   * Returns the merge status of a request (docs/reference/merge-requests.md#whether-it-can-be-merged). Checks and
   * stores it if it is `unchecked` and the request is open. Leaves `updated_at` as it is.
   * @param client waits for the check; absent: none
   * @throws GitError
   */
  async checkMergeability(request: CheckedRequest, client?: SlotCaller): Promise<MergeStatus> {
    let seen: CheckedRequest | null = request;
    for (let round = 1; seen !== null && round <= MAX_ROUNDS; round += 1) {
      if (!isOpen(seen) || seen.mergeStatus !== 'unchecked') return seen.mergeStatus;
      const heads = await this.findHeads(seen, client);
      const status = (await canBeMerged(heads, seen.headSha))
        ? 'can_be_merged'
        : 'cannot_be_merged';
      if (await this.storeStatus(seen, heads, status)) return status;
      seen = await this.versions.findChecked(request.id);
    }
    return 'unchecked';
  }

  /**
   * Returns whether a request is based on the head of its target branch: its head contains it.
   * @throws GitError
   */
  async isBased(
    request: BranchPair & Pick<CheckedRequest, 'headSha'>,
    client?: SlotCaller,
  ): Promise<boolean> {
    const heads = await this.findHeads(request, client);
    if (heads === null || heads.start === null || request.headSha === null) return false;
    return heads.target.isAncestor(heads.start, request.headSha);
  }

  /**
   * Counts the commits of the target branch that the head of a request lacks, up to 10,000.
   * @param client waits for the count
   * @throws GitError
   */
  async countDiverged(
    request: BranchPair & Pick<CheckedRequest, 'headSha'>,
    client?: SlotCaller,
  ): Promise<number> {
    const heads = await this.findHeads(request, client);
    if (heads === null || heads.start === null || request.headSha === null) return 0;
    const { target, start } = heads;
    const range = { start, exclude: request.headSha, skip: 0, limit: 1 };
    return (await target.history(range)).total ?? COUNTED_ITEMS;
  }

  /**
   * Checks that the source is a fork of the target, or the target itself. In a unit of work the fork
   * relation is locked to its end: a transaction that severs it then finds the request.
   * @throws DomainError branch pair refused
   */
  async assertRelated({ source, target }: Pick<Branches, 'source' | 'target'>): Promise<void> {
    if (source.id === target.id || (await this.forks.hold(source.id, target.id))) return;
    throw branchPairRefused('unrelated-projects');
  }

  /**
   * Checks that both branches exist and no other request is open for them.
   * @param exceptId the request to be reopened
   * @throws DomainError branch pair refused, merge request exists, invalid fields
   */
  async assertPossible(branches: Branches, exceptId?: number): Promise<void> {
    await this.assertNoneOpen(branches, exceptId);
    const { source, sourceBranch, target, targetBranch } = branches;
    assertValid({
      sourceBranch: await this.existenceProblems(source, sourceBranch),
      targetBranch: await this.existenceProblems(target, targetBranch),
    });
  }

  /**
   * Checks that an open request can get another target branch; its source branch may be deleted.
   * @throws DomainError branch pair refused, merge request exists, invalid fields
   */
  async assertTargetPossible(branches: BranchesWithTarget, id: number): Promise<void> {
    await this.assertNoneOpen(branches, id);
    const { target, targetBranch } = branches;
    assertValid({ targetBranch: await this.existenceProblems(target, targetBranch) });
  }

  /**
   * Stores a status unless the request has other heads by now. A push that has moved a branch and is not
   * recorded yet resets the status when it is.
   * @returns whether it was stored
   */
  private storeStatus(
    seen: CheckedRequest,
    heads: BranchHeads | null,
    status: MergeStatus,
  ): Promise<boolean> {
    return this.work.run(async () => {
      const current = await this.versions.lockChecked(seen.id);
      if (current === null) return false;
      const isSame =
        isOpen(current) &&
        current.mergeStatus === 'unchecked' &&
        current.headSha === seen.headSha &&
        haveSameHeads(await this.findHeads(current), heads);
      if (isSame) await this.versions.setStatus(seen.id, status, heads?.start ?? null);
      return isSame;
    });
  }

  private async assertNoneOpen(branches: BranchesWithTarget, exceptId?: number): Promise<void> {
    const { source, sourceBranch, target, targetBranch } = branches;
    if (source.id === target.id && sourceBranch === targetBranch) {
      throw branchPairRefused('same-branch');
    }
    const pair = { sourceProjectId: source.id, sourceBranch, projectId: target.id, targetBranch };
    const open = await this.mergeRequests.findOpen(pair, exceptId);
    if (open !== null) throw mergeRequestExists(open);
  }

  private async existenceProblems(project: ProjectRef, branch: string): Promise<FieldProblem[]> {
    const head = await this.storage.repository(project).refs.get(`${BRANCH_PREFIX}${branch}`);
    return head === null ? [{ rule: 'missing' }] : [];
  }
}

/** Whether a user with this access may delete branches of the project. */
export const mayRemoveBranches = (access: ProjectAccess): boolean =>
  canSee(access) && allows(access, 'code:push') && !access.project.archived;

/**
 * Runs work that opens a request for two branches. When another request was opened for them meanwhile, runs it
 * once more, since its own check then reports that request.
 * @throws DomainError conflict
 */
export async function retryWhenOpened<Result>(work: () => Promise<Result>): Promise<Result> {
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

/** Whether git has failed at one repository or commit, so that other requests can still be handled. */
export const isGitFailure = (error: unknown): error is GitError =>
  error instanceof GitError && !(error instanceof GitClosedError);

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

/** Compares the target heads, and only the existence of the source: its head counts once it is recorded. */
function haveSameHeads(one: BranchHeads | null, other: BranchHeads | null): boolean {
  const hasSource = (heads: BranchHeads | null): boolean => (heads?.head ?? null) !== null;
  return one?.start === other?.start && hasSource(one) === hasSource(other);
}
