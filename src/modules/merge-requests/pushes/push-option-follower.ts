import { Injectable, Logger } from '@nestjs/common';
import type { Commit } from '../../../git/index.js';
import { DomainError } from '../../../platform/errors/index.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../../authorization/index.js';
import { MilestonesRepository, scopeOf, type TriageInput } from '../../issuables/index.js';
import { ForksRepository } from '../../projects/index.js';
import {
  OnPostReceive,
  type PushedBranch,
  type ReceivedPush,
  storable,
  titleOf,
} from '../../repository/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { ActingUsers, type User, UsersRepository } from '../../users/index.js';
import { AcceptService } from '../accept/accept.service.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import { isOpen, isWorkInProgress } from '../model/merge-request.entity.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { requestedByPush, type RequestedByPush } from './push-options.js';

/** The branches of a push whose merge requests are opened or changed. */
const MAX_BRANCHES = 10;
const MAX_TITLE = 255;
/** The assignees that are looked up for a branch. */
const MAX_ASSIGNEES = 10;

/** A user who pushes, with their access to the project that is pushed to. */
interface Pusher {
  readonly user: User;
  readonly access: ProjectAccess;
}

/** Opens and changes merge requests as push options ask, with the rights of the pusher (docs/reference/git.md#push-options). */
@Injectable()
export class PushOptionFollower {
  private readonly logger = new Logger(PushOptionFollower.name);

  constructor(
    private readonly users: ActingUsers,
    private readonly accounts: UsersRepository,
    private readonly projects: ProjectAccessRepository,
    private readonly forks: ForksRepository,
    private readonly storage: ProjectStorage,
    private readonly milestones: MilestonesRepository,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly service: MergeRequestsService,
    private readonly acceptance: AcceptService,
  ) {}

  /** Follows the options of a push, before the addresses of its requests are printed. Returns what could not be done. */
  @OnPostReceive({ order: -1 })
  async follow(push: ReceivedPush): Promise<string[]> {
    const { project, userId, branches, options, isOfDeployKey } = push;
    const requested = requestedByPush(options);
    if (requested === null || branches.length === 0) return [];
    if (isOfDeployKey) return ['', 'Deploy keys open and change no merge requests.'];
    const pusher = await this.users.findOnProject(userId, project.id);
    if (pusher === null) return [];
    const lines: string[] = [];
    for (const branch of branches.slice(0, MAX_BRANCHES)) {
      const problem = await this.followForBranch(pusher, branch, requested);
      if (problem !== null) lines.push('', `Merge request of ${branch.name}: ${problem}`);
    }
    if (branches.length > MAX_BRANCHES) {
      lines.push('', `Merge requests of ${String(MAX_BRANCHES)} branches only were looked at.`);
    }
    return lines;
  }

  /** @returns what could not be done; null when all is */
  private async followForBranch(
    pusher: Pusher,
    branch: PushedBranch,
    requested: RequestedByPush,
  ): Promise<string | null> {
    try {
      const found = await this.findOpen(pusher, branch.name);
      if (found !== null) {
        if (!found.target.project.mergeRequestsEnabled) return SWITCHED_OFF;
        return await this.change(pusher, branch, found, requested);
      }
      if (!requested.create) return 'there is none that is open.';
      return await this.open(pusher, branch, requested);
    } catch (error) {
      if (error instanceof DomainError) return problemOf(error);
      this.logger.error(`Push options for ${branch.name} could not be followed`, error);
      return 'the push options could not be followed.';
    }
  }

  /** Finds the newest open request of a branch whose target project the pusher sees. */
  private async findOpen(
    { user, access }: Pusher,
    branch: string,
  ): Promise<{ request: LocatedMergeRequest; target: ProjectAccess } | null> {
    const ids = await this.mergeRequests.findIdsFrom(access.project.id, [branch]);
    const requests = await this.mergeRequests.findByIds(ids);
    for (const request of requests.filter(isOpen).toSorted((one, other) => other.id - one.id)) {
      const target = await this.findTarget({ user, access }, request.projectId);
      if (target !== null) return { request, target };
    }
    return null;
  }

  private async findTarget(
    { user, access }: Pusher,
    projectId: number,
  ): Promise<ProjectAccess | null> {
    if (projectId === access.project.id) return access;
    const found = await this.projects.find(user, { id: projectId });
    return found !== null && canSee(found) ? found : null;
  }

  private async open(
    pusher: Pusher,
    branch: PushedBranch,
    requested: RequestedByPush,
  ): Promise<string | null> {
    const { user, access } = pusher;
    if (!allows(access, 'merge-request:create')) return NOT_ALLOWED;
    const target = await this.defaultTarget(pusher);
    if (!target.project.mergeRequestsEnabled) return SWITCHED_OFF;
    const targetBranch = requested.target ?? target.project.defaultBranch ?? '';
    const head = await this.storage.repository(access.project).objects.commit(branch.after);
    const title = requested.title ?? titleFrom(head, branch.name);
    const { triage, problem } = await this.triageOf(requested, target, []);
    const opened = await this.service.create(access, user, {
      ...triage,
      sourceBranch: branch.name,
      targetBranch,
      targetProjectId: target.project.id,
      title: withDraft(title, requested.draft),
      description: requested.description,
      removeSourceBranch: requested.removeSourceBranch || null,
    });
    await this.wait({ user, access: target }, opened.issuable.id, branch, requested);
    return problem;
  }

  private async change(
    { user }: Pusher,
    branch: PushedBranch,
    { request, target }: { request: LocatedMergeRequest; target: ProjectAccess },
    requested: RequestedByPush,
  ): Promise<string | null> {
    const { triage, problem } = await this.triageOf(requested, target, request.assigneeIds);
    const title = withDraft(requested.title ?? request.title, requested.draft);
    const { labels: addLabels, ...changed } = triage;
    await this.service.update(target, user, request.id, {
      ...changed,
      addLabels,
      removeLabels: requested.removeLabels,
      ...(title === request.title ? {} : { title }),
      description: requested.description,
      targetBranch: requested.target,
      ...(requested.removeSourceBranch ? { removeSourceBranch: true } : {}),
    });
    await this.wait({ user, access: target }, request.id, branch, requested);
    return problem;
  }

  /** The project that a fork comes from where the pusher sees it, else the project itself. */
  private async defaultTarget(pusher: Pusher): Promise<ProjectAccess> {
    const sourceId = await this.forks.sourceOf(pusher.access.project.id);
    const source = sourceId === null ? null : await this.findTarget(pusher, sourceId);
    return source?.project.mergeRequestsEnabled === true ? source : pusher.access;
  }

  /** Has a request wait for its build, which can be reported only after the push. */
  private async wait(
    merger: Pusher,
    id: number,
    { after: sha }: PushedBranch,
    { mergeWhenBuildSucceeds, removeSourceBranch }: RequestedByPush,
  ): Promise<void> {
    if (!mergeWhenBuildSucceeds) return;
    await this.acceptance.accept(merger, id, {
      whenBuildSucceeds: true,
      sha,
      message: null,
      squashMessage: null,
      removeSourceBranch: removeSourceBranch ? true : null,
    });
  }

  /** Finds what options name, for those who may set it; what is not found is left out and reported. */
  private async triageOf(
    { milestone, addLabels, assignees }: RequestedByPush,
    access: ProjectAccess,
    present: readonly number[],
  ): Promise<{ triage: TriageInput; problem: string | null }> {
    if (!allows(access, 'merge-request:triage')) return { triage: {}, problem: null };
    const missing: string[] = [];
    const milestoneId =
      milestone === undefined
        ? undefined
        : (await this.milestones.findByTitle(scopeOf({ access }), milestone))?.id;
    if (milestone !== undefined && milestoneId === undefined) missing.push('milestone');
    const names = [...new Set(assignees)].slice(0, MAX_ASSIGNEES);
    const users = await Promise.all(names.map((name) => this.accounts.findByUsername(name)));
    if (users.includes(null)) missing.push('user');
    const added = users.flatMap((user) => (user === null ? [] : [user.id]));
    const triage: TriageInput = {
      ...(milestoneId === undefined ? {} : { milestoneId }),
      ...(added.length === 0 ? {} : { assigneeIds: [...new Set([...present, ...added])] }),
      ...(addLabels.length === 0 ? {} : { labels: addLabels }),
    };
    const problem = missing.length === 0 ? null : `there is no such ${missing.join(' or ')}.`;
    return { triage, problem };
  }
}

const NOT_ALLOWED = 'you are not allowed to.';
const SWITCHED_OFF = 'the project has no merge requests.';

function problemOf({ detail }: DomainError): string {
  switch (detail.code) {
    case 'forbidden':
      return NOT_ALLOWED;
    case 'merge-refused':
    case 'other-head':
      return 'it cannot wait for its build.';
    case 'branch-pair-refused':
      return detail.reason === 'same-branch'
        ? 'the source branch is the target branch.'
        : 'the project is no fork of the target project.';
    case 'invalid-fields':
      return `invalid: ${Object.keys(detail.fields).join(', ')}.`;
    default:
      return 'the push options could not be followed.';
  }
}

/** The title of a commit; the name of the branch where it has none. */
function titleFrom(commit: Commit | null, branch: string): string {
  return storable(titleOf(commit?.message ?? ''), MAX_TITLE) || branch;
}

const withDraft = (title: string, isDraft: boolean): string =>
  isDraft && !isWorkInProgress(title) ? `Draft: ${title}`.slice(0, MAX_TITLE) : title;
