import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Commit,
  GitError,
  isWritableRefName,
  type Oid,
  type Ref,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type DomainError, forbidden, notFound } from '../../../platform/errors/index.js';
import { mapPage, Page, type PageRequest } from '../../../platform/pagination/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
} from '../../../platform/queue/index.js';
import { allows, type ProjectRef } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { ActingUsers } from '../../users/index.js';
import {
  type BranchProtection,
  protectionOf,
  ProtectionRules,
  type ProtectionRule,
} from '../protection/protection.policy.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import type { Pusher } from '../pushes/push-authorizer.js';
import type { LockedProject } from '../pushes/pushes.repository.js';
import type { CacheableAnswer } from '../shared/answer-cache.js';
import { listCommits } from '../shared/commit-text.js';
import { branchRefused, pushRefused, type RefProblem } from '../shared/refusals.js';
import { refsBehind, selectByName } from '../shared/select-refs.js';

/** Errors of git that a damaged history causes. */
const DAMAGED: ReadonlySet<string> = new Set(['object-missing', 'process']);
/** How many merged branches one push deletes. */
const DELETED_AT_ONCE = 50;

interface DeleteMergedBranchesPayload {
  projectId: number;
  /** The user who asked for the deletion, and for whom the branches are deleted. */
  userId: number;
}

/** Deletes merged branches (docs/reference/branches.md#delete-projectsidrepositorymerged_branches). */
const deleteMergedBranches = defineJob<DeleteMergedBranchesPayload>(
  'repositories',
  'delete-merged-branches',
  { timeLimitMs: 10 * 60_000 },
);

export interface Branch {
  name: string;
  commit: Commit;
  protection: BranchProtection;
  /** Whether the default branch contains its head. */
  merged: boolean;
  /** Whether the default branch has the same head. */
  isAtTrunk: boolean;
}

/** Which branches are listed. */
interface BranchQuery {
  /** A part of their names, without case; `^` before it stands for the beginning, `$` behind it for the end. */
  search?: string | undefined;
  /** The name of a branch: only those behind it. */
  after?: string | undefined;
}

/** Branches (docs/reference/branches.md#endpoints). Writes are pushes of the caller. */
@Injectable()
@HandlesJob(deleteMergedBranches)
export class BranchesService implements JobHandler<DeleteMergedBranchesPayload> {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly protectedBranches: ProtectedBranchesRepository,
    private readonly apiPush: ApiPush,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly users: ActingUsers,
  ) {}

  /**
   * Lists the branches by name; none in an empty repository.
   * @throws DomainError page token unknown: there is no branch `after`, or no longer
   */
  async list(
    project: ProjectRef,
    request: PageRequest,
    { search, after }: BranchQuery = {},
  ): Promise<CacheableAnswer<Page<Branch>>> {
    const repository = this.storage.snapshot(project);
    const { refs, version } = await repository.refs.listed(BRANCH_PREFIX);
    const rules = await this.protectedBranches.rulesOf(project.id);
    const { defaultBranch } = project;
    return {
      key: [
        'branches',
        version,
        defaultBranch,
        request.page,
        request.perPage,
        rules,
        search,
        after,
      ],
      make: async () => {
        const trunk = refs.find(({ name }) => name === `${BRANCH_PREFIX}${defaultBranch ?? ''}`);
        const behind = refsBehind(refs, BRANCH_PREFIX, after);
        const page = Page.of(selectByName(behind, BRANCH_PREFIX, search), request);
        const branches = await describe(repository, page.items, trunk?.target ?? null, rules);
        return mapPage(page, (_, index) => branches[index] as Branch);
      },
    };
  }

  /** @throws DomainError not found */
  async find(project: ProjectRef, name: string): Promise<CacheableAnswer<Branch>> {
    const repository = this.storage.snapshot(project);
    const target = await repository.refs.get(`${BRANCH_PREFIX}${name}`);
    if (target === null) throw notFound('branch');
    const { defaultBranch } = project;
    const trunk =
      defaultBranch === null ? null : await repository.refs.get(`${BRANCH_PREFIX}${defaultBranch}`);
    const rules = await this.protectedBranches.rulesOf(project.id);
    const ref: Ref = { name: `${BRANCH_PREFIX}${name}`, target };
    return {
      key: ['branch', ref, trunk, rules],
      make: async () => (await describe(repository, [ref], trunk, rules))[0] as Branch,
    };
  }

  /**
   * @param start a revision
   * @throws DomainError branch refused, forbidden
   */
  async create(pusher: Pusher, name: string, start: string): Promise<void> {
    if (!isWritableRefName(BRANCH_PREFIX + name)) throw invalidName();
    await this.apiPush.push(pusher, (repository) => planCreation(repository, name, start), {
      blocked: invalidName,
    });
  }

  /** @throws DomainError branch refused, forbidden */
  async delete(pusher: Pusher, name: string): Promise<void> {
    await this.apiPush.push(
      pusher,
      (repository, project) => this.planDeletion(repository, project, name),
      { refused: refusedDeletion },
    );
  }

  /**
   * Deletes a branch unless it has moved, is protected or is the default branch.
   * @param target the expected head of the branch
   * @param alongside writes rows in the same transaction, whether or not the branch is deleted
   * @throws DomainError forbidden
   */
  async deleteIfUnchanged(
    pusher: Pusher,
    { name, target }: { name: string; target: Oid },
    alongside: () => Promise<void>,
  ): Promise<void> {
    await this.apiPush.push(pusher, async (repository, project) => {
      const ref = BRANCH_PREFIX + name;
      const rules = await this.protectedBranches.rulesOf(project.id);
      const isKept =
        (await repository.refs.get(ref)) !== target ||
        protectionOf(name, rules).protected ||
        (await isHead(repository, project, name));
      const updates = isKept ? [] : [{ ref, oldOid: target, newOid: ZERO_OID }];
      return { updates, alongside };
    });
  }

  /**
   * Queues a job that deletes the merged branches
   * (docs/reference/branches.md#delete-projectsidrepositorymerged_branches).
   * @throws DomainError forbidden in an archived project
   */
  async queueDeletionOfMerged({ access, userId }: Pusher): Promise<void> {
    const { id: projectId, archived } = access.project;
    if (archived) throw forbidden();
    const job = deleteMergedBranches.with({ projectId, userId });
    await this.work.run(() => this.outbox.addUnlessWaiting(job));
  }

  /**
   * Deletes all branches that are merged now, if the user who asked for it may still push. Can be repeated after
   * an interruption.
   */
  async handle(
    { projectId, userId }: DeleteMergedBranchesPayload,
    { signal }: JobContext,
  ): Promise<void> {
    const access = (await this.users.findOnProject(userId, projectId))?.access;
    if (access === undefined || access.project.archived || !allows(access, 'code:push')) return;
    const { project } = access;
    const repository = this.storage.repository(project);
    const branches = await repository.refs.list(BRANCH_PREFIX);
    const merged = await this.selectMerged(project, repository, branches, signal);
    for (let at = 0; at < merged.length; at += DELETED_AT_ONCE) {
      signal.throwIfAborted();
      const batch = merged.slice(at, at + DELETED_AT_ONCE);
      await this.apiPush.push({ access, userId }, async (locked) => {
        const unmoved = await selectUnmoved(locked, batch);
        const deleted = await this.selectMerged(project, locked, unmoved, signal);
        return { updates: deleted.map(deletionOf) };
      });
    }
  }

  private async planDeletion(
    repository: Repository,
    project: LockedProject,
    name: string,
  ): Promise<PushPlan> {
    const ref = BRANCH_PREFIX + name;
    const target = await repository.refs.get(ref);
    if (target === null) throw branchRefused('missing');
    if (await isHead(repository, project, name)) throw branchRefused('is-default');
    const rules = await this.protectedBranches.rulesOf(project.id);
    if (protectionOf(name, rules).protected) throw branchRefused('protected');
    return { updates: [deletionOf({ name: ref, target })] };
  }

  /** Selects the branches that are merged into the default branch and are not protected. */
  private async selectMerged(
    project: ProjectRef,
    repository: Repository,
    branches: readonly Ref[],
    signal: AbortSignal,
  ): Promise<Ref[]> {
    const { defaultBranch } = project;
    const trunk =
      defaultBranch === null ? null : await repository.refs.get(BRANCH_PREFIX + defaultBranch);
    if (trunk === null) return [];
    const rules = await this.protectedBranches.rulesOf(project.id);
    const merged: Ref[] = [];
    for (const branch of branches) {
      signal.throwIfAborted();
      const name = branch.name.slice(BRANCH_PREFIX.length);
      const isKept =
        protectionOf(name, rules).protected || (await isHead(repository, project, name));
      if (!isKept && (await repository.isAncestor(branch.target, trunk))) merged.push(branch);
    }
    return merged;
  }
}

const invalidName = (): DomainError => branchRefused('invalid-name');

function refusedDeletion(problem: RefProblem): DomainError {
  return problem === 'protected-deleted' ? branchRefused('protected') : pushRefused(problem);
}

function deletionOf({ name, target }: Ref): RefUpdate {
  return { ref: name, oldOid: target, newOid: ZERO_OID };
}

async function planCreation(
  repository: Repository,
  name: string,
  start: string,
): Promise<PushPlan> {
  const ref = BRANCH_PREFIX + name;
  if ((await repository.refs.get(ref)) !== null) throw branchRefused('exists');
  const newOid = await repository.resolveCommit(start);
  if (newOid === null) throw branchRefused('invalid-start');
  return { updates: [{ ref, oldOid: ZERO_OID, newOid }] };
}

/** Whether it is the default branch, according to the database or to HEAD of the repository. */
async function isHead(
  repository: Repository,
  { defaultBranch }: Pick<ProjectRef, 'defaultBranch'>,
  name: string,
): Promise<boolean> {
  return name === defaultBranch || name === (await repository.refs.head());
}

async function selectUnmoved({ refs }: Repository, branches: readonly Ref[]): Promise<Ref[]> {
  const targets = await Promise.all(branches.map(({ name }) => refs.get(name)));
  return branches.filter(({ target }, index) => targets[index] === target);
}

/**
 * Reads the commits of branches, and whether they are merged.
 * @param trunk the head of the default branch
 */
async function describe(
  repository: Repository,
  refs: readonly Ref[],
  trunk: Oid | null,
  rules: readonly ProtectionRule[],
): Promise<Branch[]> {
  const heads = refs.map(({ target }) => target);
  const commits = await listCommits(repository, heads);
  const merged = await findMerged(repository, heads, trunk);
  const protections = new ProtectionRules(rules);
  return refs.map((ref, index) => {
    const commit = commits[index] as Commit;
    const name = ref.name.slice(BRANCH_PREFIX.length);
    return {
      name,
      commit,
      protection: protections.find(name),
      merged: merged.has(ref.target),
      isAtTrunk: ref.target === trunk,
    };
  });
}

/** Returns the heads that the default branch contains; none when its history is damaged. */
async function findMerged(
  repository: Repository,
  heads: readonly Oid[],
  trunk: Oid | null,
): Promise<ReadonlySet<Oid>> {
  if (trunk === null) return new Set();
  try {
    return await repository.reachable(heads, trunk);
  } catch (error) {
    if (error instanceof GitError && DAMAGED.has(error.code)) return new Set();
    throw error;
  }
}
