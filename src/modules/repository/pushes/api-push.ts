import { Injectable } from '@nestjs/common';
import {
  GitError,
  type NewObjects,
  ObjectsRefusedError,
  type RefUpdate,
  type Repository,
} from '../../../git/index.js';
import { runAs } from '../../../platform/async/index.js';
import {
  type DomainError,
  conflict,
  forbidden,
  notFound,
  ruleViolated,
  unavailable,
} from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { ProjectStorage, RepositoryReadiness } from '../../projects/index.js';
import { PostReceive } from './post-receive.js';
import { REFUSAL } from './push.policy.js';
import type { LockedProject } from './push-intents.repository.js';
import type { Pusher } from './push-session.js';
import type { PushedBranch } from './push.events.js';
import { PushParts } from './receive-push.js';

/** What a call of the API wants of a repository's refs. */
export interface PushPlan<T> {
  updates: RefUpdate[];
  /** What the refs are to point at, where the repository does not have it yet. */
  objects?: NewObjects;
  /** What to commit by itself before the refs may move; of no meaning as long as they have not. */
  beforehand?: () => Promise<void>;
  /** What else to write when the refs have moved, in the transaction that records it. */
  alongside?: () => Promise<void>;
  /** What to answer when it is done. */
  result: T;
}

/** Decides what to do by what the repository has, while nobody else can change its refs. */
type Planner<T> = (repository: Repository, project: LockedProject) => Promise<PushPlan<T>>;

export interface ApiPushOptions {
  /** Whether a merge request is accepted by it, which takes the right to merge only. Default: false. */
  isMerge?: boolean;
  /** What a refused push is answered with. Default: 403 with the reason. */
  refused?: (reason: string) => DomainError;
  /** What git's refusal is answered with: another ref stands in the way. Default: 409. */
  blocked?: () => DomainError;
}

/**
 * A push that the API makes for its caller. It keeps to the same rules and leaves the same traces as
 * one over HTTP: under the project's push lock it is planned, judged, written down, made and recorded,
 * so that several at the same time are made one upon the other.
 */
@Injectable()
export class ApiPush {
  constructor(
    private readonly parts: PushParts,
    private readonly storage: ProjectStorage,
    private readonly readiness: RepositoryReadiness,
    private readonly postReceive: PostReceive,
  ) {}

  /**
   * Not to be called inside a unit of work.
   * @param plan decides what to do by what the repository has when nobody else can change its refs;
   *   it writes nothing and may refuse by throwing
   * @throws DomainError forbidden, conflict, unavailable, storage limit, or what `options` say
   */
  run<T>(pusher: Pusher, plan: Planner<T>, options: ApiPushOptions = {}): Promise<T> {
    return runAs('push', () => this.push(pusher, plan, options));
  }

  private async push<T>(pusher: Pusher, plan: Planner<T>, options: ApiPushOptions): Promise<T> {
    const { id } = pusher.access.project;
    if (pusher.access.project.archived) throw forbidden();
    if (!(await this.readiness.wait(id))) throw unavailable();
    const attempt = new Attempt(this.parts, this.storage, pusher, plan, options);
    const { turns, work } = this.parts;
    try {
      const retry = (): boolean => !attempt.isWrittenDown;
      await turns.take(id, () => work.run(() => attempt.make(), { retry }));
    } catch (error) {
      if (!attempt.isWrittenDown) throw error;
      // The transaction was lost (the database restarted, say), the intent was not.
      await this.parts.recovery.recover(id);
      if (!attempt.isMade) throw error;
    }
    const result = attempt.outcome();
    const { access, userId } = pusher;
    const push = { project: access.project, userId, branches: attempt.pushed };
    await this.postReceive.runSteps({ ...push, printsMessages: false });
    return result;
  }
}

class Attempt<T> {
  /** From here on, what happens to it is found out by recovery whoever dies. */
  isWrittenDown = false;
  /** git has ended; it told what came of the push. */
  isMade = false;
  /** The branches that git has made or moved. */
  pushed: readonly PushedBranch[] = [];
  private planned: PushPlan<T> | undefined;
  private failure: GitError | null = null;

  constructor(
    private readonly parts: PushParts,
    private readonly storage: ProjectStorage,
    private readonly pusher: Pusher,
    private readonly plan: Planner<T>,
    private readonly options: ApiPushOptions,
  ) {}

  async make(): Promise<void> {
    const { recovery, judge, rights } = this.parts;
    const project = await this.parts.enter(this.pusher.access.project.id);
    if (project === null) throw notFound('Project');
    if (project.repositoryState !== 'ready') throw unavailable();
    await recovery.settleLeftovers(project);
    const access = await rights.of(this.pusher);
    if (access === null) throw this.refused(REFUSAL.push);
    const repository = this.storage.repository(project);
    const planned = await this.plan(repository, project);
    await this.judge(access, planned.updates);
    await this.store(repository, project, planned);
    const feasible = await judge.feasible(access, planned.updates);
    if (feasible.length < planned.updates.length) throw conflict();
    this.planned = planned;
    if (feasible.length > 0) {
      const { beforehand } = planned;
      if (beforehand !== undefined) await this.parts.work.detached(beforehand);
      await this.move(repository, project, feasible);
    }
    if (this.failure === null) await planned.alongside?.();
  }

  /** @throws DomainError when git has moved nothing */
  outcome(): T {
    if (this.failure !== null) throw this.refusal(this.failure);
    return (this.planned as PushPlan<T>).result;
  }

  private async judge(access: ProjectAccess, updates: readonly RefUpdate[]): Promise<void> {
    const refusals = await this.parts.judge.apiRefusals(access, updates, this.options);
    const [reason] = refusals.values();
    if (reason !== undefined) throw this.refused(reason);
  }

  private refused(reason: string): DomainError {
    return this.options.refused?.(reason) ?? forbidden(reason);
  }

  private async store(
    repository: Repository,
    project: LockedProject,
    { objects }: PushPlan<T>,
  ): Promise<void> {
    try {
      const admit = this.parts.quota.admission(project);
      if (objects !== undefined) await repository.store(objects, admit);
    } catch (error) {
      if (!(error instanceof ObjectsRefusedError)) throw error;
      throw ruleViolated(
        `Your changes could not be committed, because Git refuses them: ${error.reason}`,
      );
    }
  }

  private async move(
    repository: Repository,
    project: LockedProject,
    updates: RefUpdate[],
  ): Promise<void> {
    const change = await repository.refs.begin();
    try {
      const intent = await this.parts.recordIntent(this.pusher, updates, change.processId);
      this.isWrittenDown = true;
      this.failure = await change.commit(updates).then(() => null, asGitError);
      this.isMade = true;
      this.pushed = await this.parts.recovery.complete(intent, project);
    } finally {
      await change.abandon();
    }
  }

  private refusal(error: GitError): Error {
    if (error.code === 'ref-conflict') return this.options.blocked?.() ?? conflict();
    return error.code === 'stale-ref' ? conflict() : error;
  }
}

function asGitError(error: unknown): GitError {
  if (error instanceof GitError) return error;
  throw error;
}
