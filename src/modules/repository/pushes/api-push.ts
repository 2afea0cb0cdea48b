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
  conflict,
  DomainError,
  forbidden,
  notFound,
  unavailable,
} from '../../../platform/errors/index.js';
import { RepositoryReadiness } from '../../projects/index.js';
import { ProjectStorage, StorageQuota } from '../../storage/index.js';
import { pushRefused, type RefProblem } from '../shared/refusals.js';
import { API_RULES, FORCED_RULES, type Pusher } from './push-authorizer.js';
import { type PlannedPush, type PushRefusal, PushTransaction } from './push-transaction.js';
import type { LockedProject } from './pushes.repository.js';

/** When to try again, while a shared file system does not show the last push. */
const SHOWN_WITHIN_SECONDS = 5;

/** The changes that a call of the API makes to the refs of a repository. */
export interface PushPlan extends Pick<PlannedPush, 'updates' | 'beforehand' | 'alongside'> {
  /** New objects that the refs will point at. */
  objects?: NewObjects;
}

/** Plans a push by the current state of the repository, under the push lock. Writes nothing; may throw. */
type PushPlanner = (repository: Repository, project: LockedProject) => Promise<PushPlan>;

interface ApiPushOptions {
  /** Whether the push accepts a merge request, which requires only the right to merge. Default: false. */
  isMerge?: boolean;
  /** Whether a branch gets another history, which protected ones never do. Default: false. */
  isForced?: boolean;
  /** The error when a ref may not move. Default: push refused. */
  refused?: (problem: RefProblem) => DomainError;
  /** The error when another ref blocks the name, such as `a` blocks `a/b`. Default: 409. */
  blocked?: () => DomainError;
}

/** Pushes for callers of the API, by the same rules and with the same record as a push of a git client. */
@Injectable()
export class ApiPush {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly readiness: RepositoryReadiness,
    private readonly quota: StorageQuota,
    private readonly transaction: PushTransaction,
  ) {}

  /**
   * Plans a push and makes it. Must not be called within a unit of work.
   * @returns the updates of the plan
   * @throws DomainError forbidden, push refused, conflict, unavailable, storage limit, or an error of `options`
   */
  push(
    pusher: Pusher,
    planPush: PushPlanner,
    options: ApiPushOptions = {},
  ): Promise<readonly RefUpdate[]> {
    return runAs('push', () => this.planAndPush(pusher, planPush, options));
  }

  private async planAndPush(
    pusher: Pusher,
    planPush: PushPlanner,
    {
      isMerge = false,
      isForced = false,
      refused = pushRefused,
      blocked = conflict,
    }: ApiPushOptions,
  ): Promise<readonly RefUpdate[]> {
    const { id, archived, client } = pusher.access.project;
    if (archived) throw forbidden();
    if (!(await this.readiness.wait(id))) throw unavailable();
    let updates: readonly RefUpdate[] = [];
    try {
      const outcome = await this.transaction.makePush({
        pusher,
        rules: { ...(isForced ? FORCED_RULES : API_RULES), isMerge },
        isOfClient: false,
        plan: async (project) => {
          const repository = this.storage.repository({ ...project, client });
          const plan = await planPush(repository, project);
          ({ updates } = plan);
          return {
            ...plan,
            storeObjects: () => this.storeObjects(repository, project, plan.objects),
            begin: () => repository.refs.begin(),
          };
        },
      });
      if ('reason' in outcome) throw errorOf(outcome, refused);
      return updates;
    } catch (failure) {
      if (!(failure instanceof GitError)) throw failure;
      if (failure.code === 'ref-conflict') throw blocked();
      throw failure.code === 'stale-ref' ? conflict() : failure;
    }
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
      throw new DomainError({ code: 'objects-refused', gitReason: error.reason });
    }
  }
}

function errorOf(refusal: PushRefusal, refused: (problem: RefProblem) => DomainError): DomainError {
  switch (refusal.reason) {
    case 'project-deleted':
      return notFound('project');
    case 'being-filled':
      return unavailable();
    case 'not-shown':
      return unavailable(SHOWN_WITHIN_SECONDS);
    case 'no-access':
      return refused('no-push-access');
    case 'refs-refused': {
      const [problem = 'no-push-access'] = refusal.problems.values();
      return refused(problem);
    }
  }
}
