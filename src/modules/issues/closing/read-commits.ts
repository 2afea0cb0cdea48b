import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../access/index.js';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import type { PushedBranch } from '../../repository/index.js';
import { ActingUsers } from '../../users/index.js';
import type { Closing } from '../writes/close-issue.js';
import {
  type MentionCommitsPayload,
  readCommits,
  type ReadCommitsPayload as Payload,
} from './closing.jobs.js';
import { ClosingCredits } from './closing-credits.js';
import { CommitReferences } from './commit-references.js';
import { PushedMessages } from './pushed-messages.js';

/** Carries out what the messages of pushed commits say of issues, with the rights of who pushed them. */
@Injectable()
@HandlesJob(readCommits)
export class ReadCommits implements JobHandler<Payload> {
  constructor(
    private readonly users: ActingUsers,
    private readonly messages: PushedMessages,
    private readonly references: CommitReferences,
    private readonly credits: ClosingCredits,
  ) {}

  async handle(payload: Payload): Promise<void> {
    await this.read(payload);
  }

  /** Whether commits may say that they close anything; the database is not asked for it. */
  async mayClose(project: ProjectRef, branch: PushedBranch): Promise<boolean> {
    return this.references.mayClose(await this.messages.textsOf(project, branch.newest));
  }

  /** In a unit of work. @returns what is to be closed, for which jobs wait as well */
  async read({ projectId, userId, branch }: Payload): Promise<readonly Closing[]> {
    const pusher = await this.users.findOnProject(userId, projectId);
    if (pusher === null) return [];
    const { project } = pusher.access;
    const newest = branch.newest ?? (await this.messages.newestOf(project, branch));
    const messages = await this.messages.of(project, newest.toReversed());
    const credits = branch.isDefault ? await this.credits.of(projectId, branch.name) : undefined;
    return this.references.apply(messages, project, pusher.user, credits);
  }

  /** Carries out what commits of other branches say. */
  async mention({ projectId, userId, commits }: MentionCommitsPayload): Promise<void> {
    const pusher = await this.users.findOnProject(userId, projectId);
    if (pusher === null) return;
    const { project } = pusher.access;
    const messages = await this.messages.of(project, commits);
    await this.references.apply(messages, project, pusher.user, undefined);
  }
}
