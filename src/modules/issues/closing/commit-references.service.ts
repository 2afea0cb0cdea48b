import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BRANCH_PREFIX, type Commit, type Oid } from '../../../git/index.js';
import { RoomDiscovery } from '../../../platform/discovery/index.js';
import {
  defineJob,
  HandlesJob,
  type JobHandler,
  type JobRequest,
  Outbox,
} from '../../../platform/queue/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import {
  COMMITS_READ_FOR_REFERENCES,
  commitText,
  type IssuableReference,
  mayName,
  type Referenced,
  ReferenceResolver,
  TextReferenceRecorder,
} from '../../issuables/index.js';
import { ForksRepository } from '../../projects/index.js';
import { POST_RECEIVE_DELAY_MS, type PushedBranch } from '../../repository/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { ActingUsers, type User } from '../../users/index.js';
import { type Closing, closingJob } from '../issues.service.js';
import { mayEdit } from '../model/issue.policy.js';

interface ReadCommitsPayload {
  projectId: number;
  /** Who pushed. */
  userId: number;
  /** Jobs of older versions do not name commits. */
  branch: Omit<PushedBranch, 'newest'> & Partial<Pick<PushedBranch, 'newest'>>;
}

export interface MentionCommitsPayload {
  projectId: number;
  /** Who pushed. */
  userId: number;
  commits: readonly Oid[];
}

/** Reads the commits that were pushed to the default branch for references, and closes the issues they close. */
const readCommits = defineJob<ReadCommitsPayload>('issues', 'read-commits', {
  transactional: true,
  timeLimitMs: 5 * 60_000,
});

/** Returns the job that reads a branch. The commits of the default branch may close issues. */
export function readCommitsJob(payload: ReadCommitsPayload): JobRequest {
  const delayMs = payload.branch.isDefault ? POST_RECEIVE_DELAY_MS : 0;
  return readCommits.with(payload, { delayMs });
}

/**
 * Knows what else closes the issues that the newest commits of a branch close. A merge brings commits to the branch,
 * and their issues are closed by the merge request instead.
 */
export interface ClosingCreditSource {
  /** Returns the closings that are credited to something other than a commit of the branch. */
  creditsOf(projectId: number, branch: string): Promise<readonly Closing[]>;
}

/** Marks a provider that is a `ClosingCreditSource`. */
export const ProvidesClosingCredits = DiscoveryService.createDecorator();

/** A pushed commit with its message. */
interface PushedMessage {
  readonly sha: string;
  readonly text: string;
}

/** What was pushed to a branch, as far as references need it. */
interface ReadPush {
  /** The oldest first. */
  readonly messages: readonly PushedMessage[];
  readonly project: ProjectRef;
  readonly pusher: User;
  /** What closes issues instead of commits, by the ID of the issue; undefined if commits close nothing. */
  readonly credits: ReadonlyMap<number, Closing> | undefined;
}

/** The issues and merge requests that a commit refers to and that the pusher may read. */
interface CommitEffects {
  readonly sha: string;
  readonly closes: readonly Referenced[];
  readonly mentions: readonly Referenced[];
}

/**
 * Applies the references in the messages of pushed commits, with the pusher's present rights: issues are closed, and
 * everything else that is mentioned gets a system note (docs/reference/references.md#mentions).
 */
@Injectable()
@HandlesJob(readCommits)
export class CommitReferencesService implements OnModuleInit, JobHandler<ReadCommitsPayload> {
  private creditSources: readonly ClosingCreditSource[] = [];

  constructor(
    private readonly discovery: RoomDiscovery,
    private readonly users: ActingUsers,
    private readonly storage: ProjectStorage,
    private readonly references: ReferenceResolver,
    private readonly recorder: TextReferenceRecorder,
    private readonly forks: ForksRepository,
    private readonly outbox: Outbox,
  ) {}

  onModuleInit(): void {
    this.creditSources = this.discovery.providers(ProvidesClosingCredits);
  }

  /** Runs the job `readCommits`. */
  async handle(payload: ReadCommitsPayload): Promise<void> {
    await this.processBranch(payload);
  }

  /** Whether the commits of a branch may close an issue, by their texts alone. It does not query the database. */
  async mayClose(project: ProjectRef, branch: PushedBranch): Promise<boolean> {
    const commits = await this.loadCommits(project, branch.newest);
    return this.references.mayClose(commits.map(({ message }) => message));
  }

  /**
   * Applies the references of the commits that were pushed to a branch, in the caller's unit of work.
   * @returns the issues to close, for each of which a job is queued, too
   */
  async processBranch(payload: ReadCommitsPayload): Promise<readonly Closing[]> {
    const push = await this.readPush(payload);
    return push === null ? [] : this.apply(push);
  }

  /** Finds the issues that `processBranch` has returned where a worker has called it. */
  async findClosings(payload: ReadCommitsPayload): Promise<readonly Closing[]> {
    const push = await this.readPush(payload);
    return push === null ? [] : closingsOf(await this.resolve(push), push);
  }

  /** Applies the references of commits that close nothing. */
  async processMentions({ projectId, userId, commits }: MentionCommitsPayload): Promise<void> {
    const pusher = await this.users.findOnProject(userId, projectId);
    if (pusher === null) return;
    const { user, access } = pusher;
    const messages = await this.loadMessages(access.project, commits);
    await this.apply({ messages, project: access.project, pusher: user, credits: undefined });
  }

  /** Null when the pusher has lost the access to the project. */
  private async readPush(payload: ReadCommitsPayload): Promise<ReadPush | null> {
    const { projectId, userId, branch } = payload;
    const pusher = await this.users.findOnProject(userId, projectId);
    if (pusher === null) return null;
    const { project } = pusher.access;
    const newest = branch.newest ?? (await this.findNewest(project, branch));
    const messages = await this.loadMessages(project, newest.toReversed());
    const credits = branch.isDefault ? await this.loadCredits(projectId, branch.name) : undefined;
    return { messages, project, pusher: pusher.user, credits };
  }

  /**
   * Queues a job for each issue to close, because each closing locks a project, and writes the system notes about
   * mentions.
   */
  private async apply(push: ReadPush): Promise<Closing[]> {
    const effects = await this.resolve(push);
    const closings = closingsOf(effects, push);
    await this.outbox.addAll(closings.map(closingJob));
    for (const { sha, mentions } of effects) {
      await this.recorder.recordCrossReferences({ sha }, push.project, push.pusher.id, mentions);
    }
    return closings;
  }

  private async resolve({
    messages,
    project,
    pusher,
    credits,
  }: ReadPush): Promise<CommitEffects[]> {
    // The newest come first, so that the budgets are spent on them.
    const newest = messages.toReversed();
    const read = await this.references.read(newest.map(({ text }) => text));
    const found = await this.references.findEach(
      read.map(({ issuables }) => issuables),
      project,
      pusher,
    );
    const closings = read.map((one) => one.closings);
    const closes = credits !== undefined;
    const closed = closes ? await this.findClosable(closings, project, pusher) : [];
    const effects = newest.map(({ sha }, index) => {
      const closedHere = closed[index] ?? [];
      const ids = new Set(closedHere.map(({ issuable }) => issuable.id));
      const mentions = (found[index] ?? []).filter(
        ({ issuable }) => issuable.type !== 'Issue' || !ids.has(issuable.id),
      );
      return { sha, closes: closedHere, mentions };
    });
    return effects.reverse();
  }

  /** Finds the issues that each text closes and that the pusher may edit. */
  private async findClosable(
    texts: readonly (readonly IssuableReference[])[],
    project: ProjectRef,
    pusher: User,
  ): Promise<Referenced[][]> {
    if (texts.every((references) => references.length === 0)) return [];
    const source = await this.forks.sourceOf(project.id);
    const found = await this.references.findEach(texts, project, pusher);
    return found.map((issues) =>
      issues.filter(
        // A fork does not close issues of the project that it was forked from.
        ({ issuable, access }) =>
          issuable.projectId !== source && mayEdit(issuable, access, pusher),
      ),
    );
  }

  /** Loads what closes issues instead of the commits of a branch, by the ID of the issue. */
  private async loadCredits(
    projectId: number,
    branch: string,
  ): Promise<ReadonlyMap<number, Closing>> {
    const closings = await Promise.all(
      this.creditSources.map((source) => source.creditsOf(projectId, branch)),
    );
    return new Map(closings.flat().map((closing) => [closing.issueId, closing]));
  }

  /** Finds the newest commits that a push brought to a branch; of a new branch those not on the default branch. */
  private async findNewest(
    project: ProjectRef,
    { before, after: tip }: Pick<PushedBranch, 'before' | 'after'>,
  ): Promise<Oid[]> {
    const repository = this.storage.repository(project);
    const { defaultBranch } = project;
    const trunk =
      defaultBranch === null ? null : await repository.refs.get(`${BRANCH_PREFIX}${defaultBranch}`);
    const range = { tip, base: before ?? trunk, limit: COMMITS_READ_FOR_REFERENCES };
    return (await repository.pushedCommits(range)).newest;
  }

  private async loadMessages(project: ProjectRef, oids: readonly Oid[]): Promise<PushedMessage[]> {
    const commits = await this.loadCommits(project, oids);
    return commits.map(({ oid, message }) => ({ sha: oid, text: message }));
  }

  /** Loads commits in order, without those that no longer exist. Those of a recent push are mostly cached. */
  private async loadCommits(project: ProjectRef, oids: readonly Oid[]): Promise<Commit[]> {
    const commits = await this.storage.repository(project).objects.commits(oids);
    return commits.filter((commit) => commit !== null);
  }
}

/** Returns each issue once, credited to the oldest commit that closes it. */
function closingsOf(
  effects: readonly CommitEffects[],
  { project, pusher, credits }: ReadPush,
): Closing[] {
  const closings = new Map<number, Closing>();
  for (const { sha, closes } of effects) {
    for (const { issuable, access } of closes) {
      const { id: issueId, projectId } = issuable;
      if (closings.has(issueId)) continue;
      const isNamed = mayName(project, access.project);
      const via = `commit ${isNamed ? commitText(sha, project, access.project) : sha}`;
      const closing = { projectId, issueId, actorId: pusher.id, via };
      closings.set(issueId, credits?.get(issueId) ?? closing);
    }
  }
  return [...closings.values()];
}
