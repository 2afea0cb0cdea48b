import { Injectable } from '@nestjs/common';
import type { Repository } from '../../../git/index.js';
import { DomainEvents } from '../../activity/index.js';
import { SystemNotesRepository, TodosService } from '../../issuables/index.js';
import { MergeRequestChanged } from '../merge-request.events.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import type { RecordedVersion } from '../versions/versions.repository.js';
import { FollowedRequestsRepository } from './followed-requests.repository.js';
import { NAMED_COMMITS, pushedCommitsNote } from './pushed-commits-note.js';

/** What a push did to the source branch of a merge request. */
export interface SourceMove {
  /** As it was before. */
  request: LocatedMergeRequest;
  /** What was recorded since; the target project has its commits. */
  version: RecordedVersion;
  target: Repository;
  /** Whether the branch was not there before. */
  isRestored: boolean;
  userId: number;
}

const note = ({ id, projectId }: LocatedMergeRequest) =>
  ({ type: 'MergeRequest', id, projectId }) as const;

/**
 * Writes what becomes of merge requests when their source branches are pushed to
 * (docs/reference/merge-requests.md#pushes-and-branches).
 */
@Injectable()
export class FollowSource {
  constructor(
    private readonly requests: FollowedRequestsRepository,
    private readonly all: MergeRequestsRepository,
    private readonly notes: SystemNotesRepository,
    private readonly todos: TodosService,
    private readonly events: DomainEvents,
  ) {}

  /** Call with the row locked. */
  async moved(move: SourceMove): Promise<void> {
    const { request, version, isRestored, userId } = move;
    const { id, headSha, projectId } = request;
    if (isRestored) await this.write(request, userId, 'restored');
    if (headSha !== version.head) {
      await this.requests.stopWaiting(id);
      await this.tell(move);
    }
    await this.todos.finish({ type: 'MergeRequest', id }, userId);
    await this.all.touch(id);
    const update = headSha === null ? {} : { oldHead: headSha };
    await this.events.publish(new MergeRequestChanged(projectId, id, userId, 'update', update));
  }

  async deleted(request: LocatedMergeRequest, userId: number): Promise<void> {
    await this.write(request, userId, 'deleted');
    await this.todos.finish({ type: 'MergeRequest', id: request.id }, userId);
    await this.all.touch(request.id);
  }

  private async write(
    request: LocatedMergeRequest,
    userId: number,
    done: 'deleted' | 'restored',
  ): Promise<void> {
    await this.notes.insert(
      note(request),
      userId,
      `${done} source branch \`${request.sourceBranch}\``,
    );
  }

  /** Of a branch that was rewritten all is new that was not there before. */
  private async tell({ request, version, target, userId }: SourceMove): Promise<void> {
    const { newest, total } = await target.pushedCommits({
      tip: version.head,
      base: request.headSha,
      besides: version.start,
      limit: NAMED_COMMITS,
    });
    if (total === 0) return;
    const commits = await target.objects.commits(newest);
    const known = commits.filter((commit) => commit !== null);
    await this.notes.insert(note(request), userId, pushedCommitsNote(known, total));
  }
}
