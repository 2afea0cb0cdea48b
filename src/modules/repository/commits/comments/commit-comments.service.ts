import { Injectable } from '@nestjs/common';
import type { Commit, DiffEntry } from '../../../../git/index.js';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { invalidFields, notFound } from '../../../../platform/errors/index.js';
import { DomainEvents } from '../../../../platform/events/index.js';
import {
  describeInParts,
  type Page,
  type PageRequest,
} from '../../../../platform/pagination/index.js';
import { ActivityLog } from '../../../activity/index.js';
import type { ProjectRef } from '../../../authorization/index.js';
import {
  COMMIT_NOTE,
  type EventTargetProvider,
  ProvidesEventTargets,
  type TargetSource,
} from '../../../feeds/index.js';
import { ProjectStorage } from '../../../storage/index.js';
import { authorOf, type User, UsersRepository } from '../../../users/index.js';
import { storable, titleOf } from '../../shared/commit-text.js';
import { CommitCommented, type CommentedCommit } from '../commit.events.js';
import { CommitsService } from '../commits.service.js';
import { changesLine } from './changed-lines.js';
import type { CommitComment, LineType, StoredLines } from './commit-comment.entity.js';
import { CommitCommentsRepository } from './commit-comments.repository.js';

const MAX_NOTE = 1_000_000;
const MAX_TITLE = 255;

interface CommentInput {
  note: string;
  /** The name of the file after the commit; absent, like `line`, for the commit as a whole. */
  path?: string | undefined;
  line?: number | undefined;
  lineType: LineType;
}

export interface AuthoredComment {
  comment: CommitComment;
  /** The ghost account for a deleted author. */
  author: User;
}

type Position = Pick<CommitComment, 'path' | 'line' | 'lineType' | 'position'>;

const WHOLE_COMMIT: Position = { path: null, line: null, lineType: null, position: null };

/** A line that the difference of a commit shows. */
export interface CommentPlace {
  readonly file: DiffEntry;
  readonly lines: StoredLines;
}

/**
 * Reads and creates comments on commits, and describes them for feeds
 * (docs/reference/commits.md#post-projectsidrepositorycommitsshacomments).
 */
@Injectable()
@ProvidesEventTargets()
export class CommitCommentsService implements EventTargetProvider {
  readonly targetSources: readonly TargetSource[] = [
    {
      type: COMMIT_NOTE,
      shownAs: 'Note',
      sizesOf: (ids) => this.comments.sizesOf(ids),
      load: async (ids) => {
        const found = await this.comments.findByIds(ids);
        return new Map(found.map((comment) => [comment.id, describeTarget(comment)]));
      },
    },
  ];

  constructor(
    private readonly work: UnitOfWork,
    private readonly commits: CommitsService,
    private readonly comments: CommitCommentsRepository,
    private readonly storage: ProjectStorage,
    private readonly users: UsersRepository,
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Lists the comments on a commit, oldest first.
   * @param sha a revision
   * @throws DomainError not found
   */
  async list(
    project: ProjectRef,
    sha: string,
    request: PageRequest,
  ): Promise<Page<AuthoredComment>> {
    const oid = await this.commits.resolve(project, sha);
    return describeInParts(
      await this.comments.ofCommit(project.id, oid, request),
      ({ textBytes }) => textBytes,
      async (rows) => {
        const comments = await this.comments.findByIds(rows.map(({ id }) => id));
        const authors = await this.users.findAuthors(comments.map(({ authorId }) => authorId));
        return comments.map((comment) => ({
          comment,
          author: authorOf(authors, comment.authorId),
        }));
      },
    );
  }

  /**
   * Creates a comment, with its activity and domain event.
   * @param sha a revision
   * @throws DomainError not found, invalid record
   */
  async create(
    project: ProjectRef,
    sha: string,
    author: User,
    input: CommentInput,
  ): Promise<AuthoredComment> {
    const commit = await this.commits.read(project, sha);
    assertNote(input.note);
    const found = await this.findPosition(project, commit, input);
    return this.insert(project, commit, author, { ...found, note: input.note });
  }

  /**
   * Finds a comment on a commit.
   * @param sha the full hash
   */
  async find({ id }: ProjectRef, sha: string, commentId: number): Promise<AuthoredComment | null> {
    const comment = await this.comments.findOn(id, sha, commentId);
    if (comment === null) return null;
    const authors = await this.users.findAuthors([comment.authorId]);
    return { comment, author: authorOf(authors, comment.authorId) };
  }

  /**
   * Comments on a commit, or on a line that its difference shows.
   * @throws DomainError not found, invalid record
   */
  createAt(
    project: ProjectRef,
    commit: Commit,
    author: User,
    { note, place }: { note: string; place: CommentPlace | undefined },
  ): Promise<AuthoredComment> {
    assertNote(note);
    const position = place === undefined ? WHOLE_COMMIT : positionOf(place);
    return this.insert(project, commit, author, { note, position, file: place?.file ?? null });
  }

  private async insert(
    project: ProjectRef,
    commit: Commit,
    author: User,
    { note, position, file }: { note: string; position: Position; file: DiffEntry | null },
  ): Promise<AuthoredComment> {
    const newComment = {
      projectId: project.id,
      sha: commit.oid,
      commitTitle: storable(titleOf(commit.message), MAX_TITLE),
      authorId: author.id,
      note,
      ...position,
    };
    const comment = await this.work.run(async () => {
      const inserted = await this.comments.insert(newComment);
      if (inserted === null) throw notFound('project');
      await this.publishCreation(inserted, { commit, file });
      return inserted;
    });
    return { comment, author };
  }

  /** Returns the line that a comment refers to: one that the commit changes, otherwise the whole commit. */
  private async findPosition(
    project: ProjectRef,
    { oid, parents }: Commit,
    { path, line, lineType }: CommentInput,
  ): Promise<{ position: Position; file: DiffEntry | null }> {
    const whole = { position: WHOLE_COMMIT, file: null };
    if (path === undefined || line === undefined) return whole;
    const repository = this.storage.repository(project);
    const { entries } = await repository.diff(parents[0] ?? null, oid);
    const file = entries.find(
      ({ newPath, text }) => newPath === path && changesLine(text, line, lineType),
    );
    return file === undefined
      ? whole
      : { position: { path, line, lineType, position: null }, file };
  }

  private async publishCreation(
    { id, projectId, authorId }: CommitComment,
    commented: CommentedCommit,
  ): Promise<void> {
    const target = { type: COMMIT_NOTE, id };
    await this.log.record([{ projectId, authorId, action: 'commented on', target }]);
    await this.events.publish(new CommitCommented(projectId, id, commented));
  }
}

/** The same for version 3: the side on which the line is, the new one if it is on both. */
function positionOf({ file, lines }: CommentPlace): Position {
  const lineType = lines.newLine === null ? 'old' : 'new';
  return {
    path: file.newPath,
    line: lines.newLine ?? lines.oldLine,
    lineType,
    position: lines,
  };
}

function describeTarget(comment: CommitComment) {
  const { id, note, authorId, createdAt, updatedAt, commitTitle, path } = comment;
  return {
    title: commitTitle,
    note: {
      id,
      body: note,
      authorId,
      createdAt,
      updatedAt: updatedAt ?? createdAt,
      system: false,
      noteableId: null,
      noteableType: 'Commit' as const,
      type: path === null ? null : ('DiffNote' as const),
      resolvable: false,
    },
  };
}

/** @throws DomainError invalid fields */
export function assertNote(note: string): void {
  if (note.trim() === '') throw invalidFields({ note: [{ rule: 'blank' }] });
  if (note.length > MAX_NOTE) {
    throw invalidFields({ note: [{ rule: 'too-long', limit: MAX_NOTE }] });
  }
}
