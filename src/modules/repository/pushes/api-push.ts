import { Injectable } from '@nestjs/common';
import {
  GitError,
  type NewObjects,
  ObjectsRefusedError,
  type RefUpdate,
  type Repository,
} from '../../../git/index.js';
import { runAs } from '../../../platform/async/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  conflict,
  type DomainError,
  forbidden,
  notFound,
  ruleViolated,
  unavailable,
} from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { ProjectStorage, RepositoryReadiness, StorageQuota } from '../../projects/index.js';
import { PostReceive } from './post-receive.js';
import { PushAuthorizer, type Pusher } from './push-authorizer.js';
import type { PushedBranch } from './push.events.js';
import { PushLock } from './push-lock.js';
import { REFUSAL } from './push.policy.js';
import { type LockedProject, PushesRepository } from './pushes.repository.js';
import { feasibleUpdates, PushRecorder } from './recording/push-recorder.js';
import { PushRecovery } from './recording/push-recovery.js';

/** When to try again, while a shared file system does not show the last push. */
const SHOWN_WITHIN_SECONDS = 5;

/** The changes that a call of the API makes to the refs of a repository. */
export interface PushPlan<T> {
  updates: RefUpdate[];
  /** New objects that the refs will point at. */
  objects?: NewObjects;
  /** Commits rows by themselves before a ref moves; they must mean nothing unless the refs move. */
  beforehand?: () => Promise<void>;
  /** Writes more rows once the refs have moved, in the transaction that records the push. */
  alongside?: () => Promise<void>;
  /** Returned when the push is complete. */
  result: T;
}

/** Plans a push by the current state of the repository, under the push lock. Writes nothing; may throw. */
type PushPlanner<T> = (repository: Repository, project: LockedProject) => Promise<PushPlan<T>>;

interface ApiPushOptions {
  /** Whether the push accepts a merge request, which requires only the right to merge. Default: false. */
  isMerge?: boolean;
  /** Maps the reason of a refusal to an error. Default: 403 with the reason. */
  refused?: (reason: string) => DomainError;
  /** The error when another ref blocks the name, such as `a` blocks `a/b`. Default: 409. */
  blocked?: () => DomainError;
}

/** The state of one push by the API. */
interface PushAttempt<T> {
  readonly pusher: Pusher;
  readonly planPush: PushPlanner<T>;
  readonly options: ApiPushOptions;
  /** The plan; undefined until all its checks have passed. */
  plan: PushPlan<T> | undefined;
  /** The intent is committed: from now on recovery can finish the push. */
  hasIntent: boolean;
  /** Git has ended and reported a result. */
  hasGitEnded: boolean;
  /** The error that git reported; null when the refs have moved. */
  failure: GitError | null;
  /** The branches that git has created or moved. */
  branches: readonly PushedBranch[];
}

/**
 * Pushes for callers of the API, by the same rules and with the same record as a push of a git client. Under
 * the project's push lock a push is planned, authorized, announced by an intent, made and recorded, so
 * concurrent calls build upon each other.
 */
@Injectable()
export class ApiPush {
  constructor(
    private readonly work: UnitOfWork,
    private readonly storage: ProjectStorage,
    private readonly readiness: RepositoryReadiness,
    private readonly lock: PushLock,
    private readonly pushes: PushesRepository,
    private readonly authorizer: PushAuthorizer,
    private readonly recovery: PushRecovery,
    private readonly recorder: PushRecorder,
    private readonly quota: StorageQuota,
    private readonly postReceive: PostReceive,
  ) {}

  /**
   * Plans a push and makes it. Must not be called within a unit of work.
   * @throws DomainError forbidden, conflict, unavailable, storage limit, or an error of `options`
   */
  push<T>(pusher: Pusher, planPush: PushPlanner<T>, options: ApiPushOptions = {}): Promise<T> {
    return runAs('push', () =>
      this.complete({
        ...{ pusher, planPush, options, plan: undefined },
        ...{ hasIntent: false, hasGitEnded: false, failure: null, branches: [] },
      }),
    );
  }

  private async complete<T>(attempt: PushAttempt<T>): Promise<T> {
    const { access, userId } = attempt.pusher;
    const { project } = access;
    if (project.archived) throw forbidden();
    if (!(await this.readiness.wait(project.id))) throw unavailable();
    try {
      const retry = (): boolean => !attempt.hasIntent;
      await this.recovery.whenSettled(() =>
        this.lock.hold([project.id], () => this.attempt(attempt), { retry }),
      );
    } catch (error) {
      if (!attempt.hasIntent) throw error;
      // The transaction was lost, for example by a restart of the database; the intent was not.
      await this.recovery.recover(project.id);
      if (!attempt.hasGitEnded) throw error;
    }
    const result = resultOf(attempt);
    const { branches } = attempt;
    await this.postReceive.runSteps({ project, userId, branches, printsMessages: false });
    return result;
  }

  private async attempt<T>(attempt: PushAttempt<T>): Promise<void> {
    const { pusher, options } = attempt;
    const project = await this.pushes.findProject(pusher.access.project.id);
    if (project === null) throw notFound('Project');
    if (project.repositoryState !== 'ready') throw unavailable();
    await this.recovery.settleLeftovers(project);
    const access = await this.authorizer.currentAccess(pusher);
    if (access === null) throw refused(REFUSAL.push, options);
    const { client } = pusher.access.project;
    const repository = this.storage.repository({ ...project, client });
    const plan = await attempt.planPush(repository, project);
    await this.authorize(access, plan.updates, options);
    await this.storeObjects(repository, project, plan.objects);
    const updates = await feasibleUpdates(repository, plan.updates);
    await assertShown(repository, updates);
    if (updates.length < plan.updates.length) throw conflict();
    attempt.plan = plan;
    if (updates.length > 0) {
      if (plan.beforehand !== undefined) await this.work.detached(plan.beforehand);
      await this.moveRefs(attempt, repository, project, updates);
    }
    if (attempt.failure === null) await plan.alongside?.();
  }

  private async authorize(
    access: ProjectAccess,
    updates: readonly RefUpdate[],
    options: ApiPushOptions,
  ): Promise<void> {
    const refusals = await this.authorizer.findApiRefusals(access, updates, options);
    const [reason] = refusals.values();
    if (reason !== undefined) throw refused(reason, options);
  }

  private async storeObjects(
    repository: Repository,
    project: LockedProject,
    objects: NewObjects | undefined,
  ): Promise<void> {
    if (objects === undefined) return;
    try {
      await repository.store(objects, this.quota.admission(project));
    } catch (error) {
      if (!(error instanceof ObjectsRefusedError)) throw error;
      throw ruleViolated(
        `Your changes could not be committed, because Git refuses them: ${error.reason}`,
      );
    }
  }

  /** Commits the intent, has git move the refs, and records what moved. */
  private async moveRefs<T>(
    attempt: PushAttempt<T>,
    repository: Repository,
    project: LockedProject,
    updates: RefUpdate[],
  ): Promise<void> {
    const change = await repository.refs.begin();
    const isGuarded = this.recorder.guardsPushes;
    try {
      const process = { pid: change.processId, isGuarded };
      const intent = await this.recorder.recordIntent(attempt.pusher, updates, process);
      attempt.hasIntent = true;
      const confirm = isGuarded ? () => this.recorder.confirmIntent(intent) : undefined;
      attempt.failure = await change.commit(updates, confirm).then(() => null, asGitError);
      // Git fails, too, when others have taken its locks: the lease was lost after it had been confirmed.
      if (attempt.failure !== null) await confirm?.();
      attempt.hasGitEnded = true;
      attempt.branches = await this.recorder.recordPush(intent, project);
    } finally {
      await change.abandon();
    }
  }
}

/** @throws DomainError unavailable while the file system shows other values of the refs than were recorded */
async function assertShown({ refs }: Repository, updates: readonly RefUpdate[]): Promise<void> {
  const doubtful = await refs.findDoubtful(updates.map(({ ref }) => ref));
  if (doubtful.length > 0) throw unavailable(SHOWN_WITHIN_SECONDS);
}

function refused(reason: string, options: ApiPushOptions): DomainError {
  return options.refused?.(reason) ?? forbidden(reason);
}

/** @throws DomainError when git moved nothing */
function resultOf<T>({ plan, failure, options }: PushAttempt<T>): T {
  if (failure === null) return (plan as PushPlan<T>).result;
  if (failure.code === 'ref-conflict') throw options.blocked?.() ?? conflict();
  throw failure.code === 'stale-ref' ? conflict() : failure;
}

function asGitError(error: unknown): GitError {
  if (error instanceof GitError) return error;
  throw error;
}
