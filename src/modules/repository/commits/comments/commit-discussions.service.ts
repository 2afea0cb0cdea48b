import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../../git/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { forbidden, notFound } from '../../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../../platform/pagination/index.js';
import { allows, type ProjectAccess, type ProjectRef } from '../../../authorization/index.js';
import { COMMIT_NOTE } from '../../../feeds/index.js';
import { ProjectStorage } from '../../../storage/index.js';
import type { User } from '../../../users/index.js';
import { CommitsService } from '../commits.service.js';
import { beginningOf } from '../../shared/discussion-ids.js';
import { discussionAlone, positionRefused } from '../../shared/refusals.js';
import { ShownFiles } from '../../shared/shown-files.js';
import type { CommentLines } from './commit-comment.entity.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';
import {
  assertNote,
  type AuthoredComment,
  CommitCommentsService,
  type CommentPlace,
} from './commit-comments.service.js';

/** A line of a commit as a client names it. */
export interface CommitPositionInput extends CommentLines {
  readonly headSha: string;
  readonly oldPath: string | undefined;
  readonly newPath: string | undefined;
}

/** A comment with its commit. */
export interface CommentOnCommit extends AuthoredComment {
  readonly commit: Commit;
}

/** Comments on commits as discussions, each of which has one (docs/reference/v4-discussions.md#discussions-on-commits). */
@Injectable()
export class CommitDiscussionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly commits: CommitsService,
    private readonly comments: CommitCommentsService,
    private readonly repository: CommitCommentsRepository,
    private readonly storage: ProjectStorage,
  ) {}

  /** Lists the discussions of a commit, the oldest first. @throws DomainError not found */
  async list(
    project: ProjectRef,
    sha: string,
    request: PageRequest,
  ): Promise<{ readonly commit: Commit; readonly page: Page<AuthoredComment> }> {
    const commit = await this.commits.read(project, sha);
    return { commit, page: await this.comments.list(project, commit.oid, request) };
  }

  /** @throws DomainError not found */
  async read(project: ProjectRef, sha: string, discussionId: string): Promise<CommentOnCommit> {
    const commit = await this.commits.read(project, sha);
    const id = beginningOf('commit comment', discussionId);
    const found = id === null ? null : await this.comments.find(project, commit.oid, id);
    if (found === null) throw notFound('discussion');
    return { ...found, commit };
  }

  /** Reads the comment of a discussion by its own ID. @throws DomainError not found */
  async readNote(
    project: ProjectRef,
    sha: string,
    { discussionId, noteId }: { discussionId: string; noteId: number },
  ): Promise<CommentOnCommit> {
    const found = await this.read(project, sha, discussionId);
    if (found.comment.id !== noteId) throw notFound('note');
    return found;
  }

  /**
   * Comments on a commit, or on a line that its difference shows.
   * @throws DomainError not found, invalid record, position refused
   */
  async create(
    project: ProjectRef,
    sha: string,
    author: User,
    { note, position }: { note: string; position: CommitPositionInput | undefined },
  ): Promise<CommentOnCommit> {
    const commit = await this.commits.read(project, sha);
    const place = position && (await this.findPlace(project, commit, position));
    const made = await this.comments.createAt(project, commit, author, { note, place });
    return { ...made, commit };
  }

  /** Discussions of commits have one comment. @throws DomainError not found, discussion alone */
  async reply(project: ProjectRef, sha: string, discussionId: string): Promise<never> {
    await this.read(project, sha, discussionId);
    throw discussionAlone();
  }

  /** @throws DomainError not found, invalid record; forbidden unless the caller is the author or a master */
  async update(
    access: ProjectAccess,
    sha: string,
    caller: User,
    { note, ...key }: { discussionId: string; noteId: number; note: string },
  ): Promise<CommentOnCommit> {
    const found = await this.findEditable(access, sha, caller, key);
    assertNote(note);
    const comment = await this.repository.rewrite(found.comment.id, note);
    if (comment === null) throw notFound('note');
    return { ...found, comment };
  }

  /** @throws DomainError not found; forbidden unless the caller is the author or a master */
  async remove(
    access: ProjectAccess,
    sha: string,
    caller: User,
    key: { discussionId: string; noteId: number },
  ): Promise<void> {
    const { comment } = await this.findEditable(access, sha, caller, key);
    const isRemoved = await this.work.run(() => this.repository.remove(comment.id, COMMIT_NOTE));
    if (!isRemoved) throw notFound('note');
  }

  private async findEditable(
    access: ProjectAccess,
    sha: string,
    caller: User,
    key: { discussionId: string; noteId: number },
  ): Promise<CommentOnCommit> {
    const found = await this.readNote(access.project, sha, key);
    const isAuthor = found.comment.authorId === caller.id;
    if (!isAuthor && !allows(access, 'note:edit-any')) throw forbidden();
    return found;
  }

  private async findPlace(
    project: ProjectRef,
    { oid, parents }: Commit,
    { oldPath, newPath, oldLine, newLine, headSha }: CommitPositionInput,
  ): Promise<CommentPlace> {
    if (headSha !== oid) throw positionRefused();
    const difference = await this.storage.repository(project).diff(parents[0] ?? null, oid);
    const shown = new ShownFiles(difference);
    const file = shown.find({ oldPath: oldPath ?? '', newPath: newPath ?? oldPath ?? '' });
    if (file === undefined || !shown.showsLine(file, { oldLine, newLine })) throw positionRefused();
    return { file, lines: { oldPath: file.oldPath, oldLine, newLine } };
  }
}
