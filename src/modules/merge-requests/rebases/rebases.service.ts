import { Injectable, Logger } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { DomainError, forbidden, recordNotFound } from '../../../platform/errors/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../../authorization/index.js';
import { ApiPush, committerOf, PushAuthorizer, PushRecovery } from '../../repository/index.js';
import { StorageQuota } from '../../storage/index.js';
import { ActingUsers, type User } from '../../users/index.js';
import { isOpen, type MergeRequest, type RebaseProblem } from '../model/merge-request.entity.js';
import { assertReadable } from '../model/merge-request.policy.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { rebaseRefused } from '../model/refusals.js';
import { type BranchHeads, MergeRequestBranches } from '../versions/merge-request-branches.js';
import { RebasesRepository } from './rebases.repository.js';

/** A user, with their access to the target project. */
interface Rebaser {
  readonly user: User;
  readonly access: ProjectAccess;
}

/** What is known of the last rebase of a request. */
type RebasedRequest = Pick<MergeRequest, 'id' | 'rebaseJobId' | 'rebaseProblem'>;

interface RebasePayload {
  mergeRequestId: number;
  /** The user who asked for the rebase. */
  userId: number;
}

const ATTEMPTS = 3;

/** Rebases the source branch of a merge request. */
const rebaseBranch = defineJob<RebasePayload>('rebases', 'rebase-branch', {
  attempts: ATTEMPTS,
  timeLimitMs: 15 * 60_000,
  fair: true,
});

/** Ends a rebase with its result. */
class RebaseFailure extends Error {
  override readonly name = 'RebaseFailure';

  constructor(readonly problem: RebaseProblem) {
    super(problem);
  }
}

/**
 * Rebases the source branches of merge requests onto their target branches
 * (docs/reference/merge-requests.md#rebasing). A rebase is in progress while the outbox has its job, so that it ends
 * whatever happens to the process that runs it. It is a push by the user who asked for it.
 */
@Injectable()
@HandlesJob(rebaseBranch)
export class RebasesService implements JobHandler<RebasePayload> {
  private readonly logger = new Logger(RebasesService.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly rebases: RebasesRepository,
    private readonly branches: MergeRequestBranches,
    private readonly projects: ProjectAccessRepository,
    private readonly users: ActingUsers,
    private readonly authorizer: PushAuthorizer,
    private readonly apiPush: ApiPush,
    private readonly recovery: PushRecovery,
    private readonly quota: StorageQuota,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Has a job rebase the source branch of a request.
   * @throws DomainError record not found, forbidden, rebase refused
   */
  async request({ user, access }: Rebaser, id: number): Promise<void> {
    const { project } = access;
    const found = await this.mergeRequests.findIn(project.id, id);
    const request = assertReadable(found, access, user);
    if (project.archived) throw forbidden();
    await this.assertPermitted({ user, access }, request);
    await this.work.run(async () => {
      const current = await this.mergeRequests.lockIn(project.id, id);
      if (current === null) throw recordNotFound('merge-request');
      if (!isOpen(current)) throw rebaseRefused('not-open');
      if (await this.isInProgress(current)) throw rebaseRefused('in-progress');
      const payload = { mergeRequestId: id, userId: user.id };
      const fairnessKey = `project ${String(project.id)}`;
      await this.rebases.begin(
        id,
        await this.outbox.add(rebaseBranch.with(payload, { fairnessKey })),
      );
    });
  }

  /** Whether a rebase of a request was waiting or running when the request was read. */
  async isInProgress({ id, rebaseJobId }: RebasedRequest): Promise<boolean> {
    if (rebaseJobId === null) return false;
    if (await this.outbox.isUnfinished(rebaseJobId)) return true;
    // The other columns do not show yet what a rebase did that has ended since they were read.
    return !(await this.rebases.isUnrecorded(id, rebaseJobId));
  }

  /** Returns why the last rebase failed; null while one is in progress, and after one that succeeded. */
  async findProblem(request: RebasedRequest): Promise<RebaseProblem | null> {
    const { rebaseJobId, rebaseProblem } = request;
    if (rebaseJobId === null || (await this.isInProgress(request))) return rebaseProblem;
    // Not even its failure could be recorded.
    return 'failed';
  }

  /** Runs the job `rebaseBranch`. After a crash, a branch that was pushed already is left as it is. */
  async handle({ mergeRequestId, userId }: RebasePayload, context: JobContext): Promise<void> {
    const [request] = await this.mergeRequests.findByIds([mergeRequestId]);
    if (request?.rebaseJobId !== context.jobId) return;
    try {
      await this.rebase(request, userId, context);
    } catch (error) {
      const problem = problemOf(error);
      if (problem === null && context.attempt < ATTEMPTS) throw error;
      if (problem === null) this.logger.error('A rebase has failed', error);
      await this.rebases.finish(request.id, context.jobId, problem ?? 'failed');
    }
  }

  /**
   * Checks that a user may rewrite the source branch, and read what the rebase brings there.
   * @throws DomainError rebase refused
   */
  private async assertPermitted(
    { user, access }: Rebaser,
    request: LocatedMergeRequest,
  ): Promise<void> {
    const { sourceProjectId, sourceBranch } = request;
    if (sourceProjectId === null) throw rebaseRefused('source-missing');
    const source = await this.findSource({ user, access }, sourceProjectId);
    if (source === null || !mayRebase(access, source)) throw rebaseRefused('not-permitted');
    const head = (await this.branches.findHeads(request, access.project.client))?.head ?? null;
    if (head === null) throw rebaseRefused('source-missing');
    const problem = await this.authorizer.findForceProblem(source, sourceBranch, head);
    if (problem === 'protected-forced') throw rebaseRefused('protected');
    if (problem !== null) throw rebaseRefused('not-permitted');
  }

  /** Finds the access to the source project; null without any. */
  private async findSource(
    { user, access }: Rebaser,
    sourceProjectId: number,
  ): Promise<ProjectAccess | null> {
    if (sourceProjectId === access.project.id) return access;
    const source = await this.projects.find(user, { id: sourceProjectId });
    return source !== null && canSee(source) ? source : null;
  }

  /** @throws RebaseFailure, DomainError, GitError */
  private async rebase(
    request: LocatedMergeRequest,
    userId: number,
    { jobId, signal }: JobContext,
  ): Promise<void> {
    if (!isOpen(request)) throw new RebaseFailure('not-open');
    const { user, source } = await this.findPusher(request, userId);
    const heads = await this.branches.findHeads(request);
    if (!heads?.source || heads.head === null || heads.start === null) {
      throw new RebaseFailure('branch-missing');
    }
    const { head, start: onto } = heads;
    if ((await this.authorizer.findForceProblem(source, request.sourceBranch, head)) !== null) {
      throw new RebaseFailure('not-permitted');
    }
    await this.takeTarget(heads, source.project.id);
    const committer = committerOf(user);
    const rebased = await heads.source.rebase({ onto, head, committer, signal });
    if (typeof rebased === 'string') throw new RebaseFailure(rebased);
    const finish = () => this.rebases.finish(request.id, jobId, null);
    if (rebased.head === head) {
      // A crash may have interrupted the push that brought it, before it was recorded.
      await this.recovery.recover(source.project.id);
      return finish();
    }
    const ref = BRANCH_PREFIX + request.sourceBranch;
    await this.apiPush.push(
      { access: source, userId },
      async (repository) => {
        await this.lock(request, source.project.id);
        if ((await repository.refs.get(ref)) !== head) throw new RebaseFailure('moved');
        const updates = [{ ref, oldOid: head, newOid: rebased.head }];
        return { updates, objects: rebased.objects, alongside: finish };
      },
      { isForced: true },
    );
  }

  /**
   * Finds the user who asked for a rebase, with the access to the source project that they have now.
   * @throws RebaseFailure
   */
  private async findPusher(
    { projectId, sourceProjectId }: LocatedMergeRequest,
    userId: number,
  ): Promise<{ user: User; source: ProjectAccess }> {
    if (sourceProjectId === null) throw new RebaseFailure('branch-missing');
    const rebaser = await this.users.findOnProject(userId, projectId);
    if (rebaser === null) throw new RebaseFailure('not-permitted');
    const source = await this.findSource(rebaser, sourceProjectId);
    if (source === null || !mayRebase(rebaser.access, source)) {
      throw new RebaseFailure('not-permitted');
    }
    return { user: rebaser.user, source };
  }

  /** Copies the head of the target branch into a fork, where no ref points at it yet. */
  private async takeTarget(
    { source, target, start }: BranchHeads,
    sourceProjectId: number,
  ): Promise<void> {
    if (source === null || start === null || source.path === target.path) return;
    const project = (await this.mergeRequests.findStorages([sourceProjectId])).get(sourceProjectId);
    const known = (await source.refs.list(BRANCH_PREFIX)).map((branch) => branch.target);
    const admit = project && this.quota.admission(project);
    await source.takeFrom(target, start, [...new Set(known)], admit);
  }

  /**
   * Locks the request and every other open request of the source branch until the push is recorded.
   * @throws RebaseFailure, RetryJobLaterError
   */
  private async lock(
    { id, sourceBranch, targetBranch }: LocatedMergeRequest,
    sourceProjectId: number,
  ): Promise<void> {
    const locked = await this.mergeRequests.lockOfBranches(sourceProjectId, [sourceBranch]);
    const current = locked.find((one) => one.id === id);
    if (current === undefined) throw new RebaseFailure('not-open');
    if (current.targetBranch !== targetBranch) {
      throw new RetryJobLaterError('The merge request has another target branch', 0);
    }
  }
}

/** Whether a user reads the target branch, whose commits a rebase brings to the source project, and may push there. */
const mayRebase = (target: ProjectAccess, source: ProjectAccess): boolean =>
  allows(target, 'code:read') && allows(source, 'code:push') && !source.project.archived;

/** Returns why a rebase has failed for good; null if another attempt may succeed. */
function problemOf(error: unknown): RebaseProblem | null {
  if (error instanceof RebaseFailure) return error.problem;
  if (!(error instanceof DomainError)) return null;
  switch (error.detail.code) {
    case 'push-refused':
    case 'forbidden':
      return 'not-permitted';
    case 'conflict':
      return 'moved';
    case 'not-found':
      return 'branch-missing';
    case 'objects-refused':
    case 'storage-limit':
      return error.detail.code;
    default:
      return null;
  }
}
