import { Injectable } from '@nestjs/common';
import type { Commit, Repository } from '../../../git/index.js';
import { DomainEvents } from '../../activity/index.js';
import { SystemNotesRepository, TodosService } from '../../issuables/index.js';
import { shortId, storable, titleOf } from '../../repository/index.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { MergeRequestChanged } from '../model/merge-request.events.js';
import type { RecordedVersion } from '../versions/versions.repository.js';
import { PushedRequestsRepository } from './pushed-requests.repository.js';

/** The most commits of a push that the system note lists. */
const NOTED_COMMITS = 100;

const MAX_TITLE = 500;

/** A push to the source branch of a merge request. */
export interface SourcePush {
  /** The request before the push. */
  request: LocatedMergeRequest;
  /** The version recorded since; the target project has its commits. */
  version: RecordedVersion;
  target: Repository;
  /** Whether the branch did not exist before. */
  isRestored: boolean;
  userId: number;
}

/**
 * Records system notes, todos and events of pushes to source branches
 * (docs/reference/merge-requests.md#pushes-and-branches), with the row of the request locked.
 */
@Injectable()
export class SourceBranchRecorder {
  constructor(
    private readonly requests: PushedRequestsRepository,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly notes: SystemNotesRepository,
    private readonly todos: TodosService,
    private readonly events: DomainEvents,
  ) {}

  async recordPush(push: SourcePush): Promise<void> {
    const { request, version, isRestored, userId } = push;
    const { id, headSha, projectId } = request;
    if (isRestored) await this.writeNote(request, userId, restoredText(request));
    if (headSha !== version.head) {
      await this.requests.disableAutomaticMerge(id);
      await this.noteCommits(push);
    }
    await this.finishTodosAndTouch(id, userId);
    const update = headSha === null ? {} : { oldHead: headSha };
    await this.events.publish(new MergeRequestChanged(projectId, id, userId, 'update', update));
  }

  async recordDeletion(request: LocatedMergeRequest, userId: number): Promise<void> {
    await this.writeNote(request, userId, deletedText(request));
    await this.finishTodosAndTouch(request.id, userId);
  }

  /** Lists the new commits: those that the previous head lacked, also of a branch that was rewritten. */
  private async noteCommits({ request, version, target, userId }: SourcePush): Promise<void> {
    const { newest, total } = await target.pushedCommits({
      tip: version.head,
      base: request.headSha,
      besides: version.start,
      limit: NOTED_COMMITS,
    });
    if (total === 0) return;
    const commits = await target.objects.commits(newest);
    const readable = commits.filter((commit) => commit !== null);
    await this.writeNote(request, userId, pushedText(readable, total));
  }

  private async finishTodosAndTouch(id: number, userId: number): Promise<void> {
    await this.todos.finish({ type: 'MergeRequest', id }, userId);
    await this.mergeRequests.touch(id);
  }

  private async writeNote(
    { id, projectId }: LocatedMergeRequest,
    userId: number,
    text: string,
  ): Promise<void> {
    await this.notes.insert({ type: 'MergeRequest', id, projectId }, userId, text);
  }
}

// The texts of docs/reference/notes.md#system-notes.

const restoredText = ({ sourceBranch }: LocatedMergeRequest): string =>
  `restored source branch \`${sourceBranch}\``;

const deletedText = ({ sourceBranch }: LocatedMergeRequest): string =>
  `deleted source branch \`${sourceBranch}\``;

/** Lists commits, oldest first. @param newest the commits, newest first */
function pushedText(newest: readonly Commit[], total: number): string {
  const lines = newest.map(
    ({ oid, message }) => `* ${shortId(oid)} - ${storable(titleOf(message), MAX_TITLE)}`,
  );
  return [`added ${String(total)} ${total === 1 ? 'commit' : 'commits'}`, ...lines.reverse()].join(
    '\n',
  );
}
