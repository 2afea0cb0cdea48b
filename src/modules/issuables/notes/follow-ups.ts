import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import { storable } from '../../repository/index.js';
import type { User } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable } from '../model/issuable.js';
import { firstNoteOf } from './discussion.js';
import { DiscussionsRepository } from './discussions.repository.js';
import { DiscussionsService, mayResolve } from './discussions.service.js';
import type { AuthoredNote } from './notes.repository.js';
import { NotesService } from './notes.service.js';

/** What a new issue follows up. */
export interface FollowedUp {
  /** Number of a merge request in the project of the issue. */
  readonly iid: number;
  /** Absent: all its unresolved threads. */
  readonly discussionId?: string | undefined;
}

/** The merge request that a new issue follows up. */
interface FollowUp {
  readonly request: Issuable;
  /** The unresolved threads that the author of the issue sees. */
  readonly discussionIds: readonly number[];
  /** The description of the issue, unless its author writes one. */
  readonly description: string;
}

/** The most threads that a description lists, and characters that it quotes of each. */
const LISTED_THREADS = 100;
const QUOTED_CHARACTERS = 1_000;

/** Issues that continue the unresolved threads of merge requests (docs/reference/issues.md#follow-up-of-a-merge-request). */
@Injectable()
export class FollowUps {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly discussions: DiscussionsRepository,
    private readonly resolutions: DiscussionsService,
    private readonly notes: NotesService,
    private readonly urls: Urls,
  ) {}

  /** Finds what an issue follows up. Null if its author may not read the merge request, or there is none. */
  async find(
    access: ProjectAccess,
    author: User,
    { iid, discussionId }: FollowedUp,
  ): Promise<FollowUp | null> {
    const kind = this.kinds.of('MergeRequest');
    const [request] = await kind.findByIid([{ projectId: access.project.id, iid }]);
    if (request === undefined || !kind.allowsReading(request, access, author)) return null;
    const wanted = discussionId === undefined ? undefined : [firstNoteOf(discussionId) ?? 0];
    const found = await this.discussions.findUnresolvedThreads(request.id, wanted, {
      threads: LISTED_THREADS,
      characters: QUOTED_CHARACTERS,
    });
    const threads = await this.notes.describeReadable(found, author);
    const description = this.describe(access, request, threads);
    const discussionIds = threads.map(({ note }) => note.discussionId ?? note.id);
    return { request, discussionIds, description };
  }

  /** Locks the merge request until the unit of work ends: before the number of the issue (docs/lock-order.md). */
  async lock({ request }: FollowUp): Promise<void> {
    await this.kinds.of('MergeRequest').lock([request.id]);
  }

  /** Resolves the threads if the author of the issue may do so, each with a note that names the issue. */
  async resolve(
    access: ProjectAccess,
    author: User,
    { request, discussionIds }: FollowUp,
    issueIid: number,
  ): Promise<void> {
    if (!mayResolve(access, request, author)) return;
    const text = `Added #${String(issueIid)} to continue this discussion`;
    await this.resolutions.resolveThreads(request, author.id, discussionIds, text);
  }

  private describe(
    { project }: ProjectAccess,
    { iid }: Issuable,
    threads: readonly AuthoredNote[],
  ): string {
    const name = `!${String(iid)}`;
    if (threads.length === 0) return `There are no unresolved discussions on ${name}.`;
    const { namespacePath, path } = project;
    const address = this.urls.web(namespacePath, path, '-', 'merge_requests', String(iid));
    const tasks = threads.map(({ note, author }) => {
      const quote = storable(note.body, QUOTED_CHARACTERS).replace(/^/gm, '  > ');
      const link = `${address}#note_${String(note.id)}`;
      return `- [ ] @${author.username} started a [discussion](${link}):\n\n${quote}`;
    });
    return [`The following discussions from ${name} should be addressed:`, ...tasks].join('\n\n');
  }
}
