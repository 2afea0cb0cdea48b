import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  EnumParam,
  ObjectParam,
  PageQuery,
  StringParam,
  TakesBody,
} from '../../../../platform/http/index.js';
import { TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, Page } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { V4UserPresenter } from '../../../users/v4/index.js';
import { CommitDiscussionsService } from '../../commits/comments/commit-discussions.service.js';
import { V4LinePositionDto } from '../line-position.dto.js';
import {
  presentCommitDiscussion,
  presentCommitNote,
  V4CommitDiscussionView,
  V4CommitNoteView,
} from './commit-discussion.view.js';

/** `position` (docs/reference/v4-discussions.md#discussions-on-commits). */
class V4CommitPositionDto extends V4LinePositionDto {
  @EnumParam(['text'], { required: true })
  position_type!: 'text';
}

/** `PUT …/discussions/:discussion_id/notes/:note_id`, and replies. */
class V4CommitNoteDto {
  @StringParam({ required: true, blank: 'refused' })
  body!: string;
}

/** `POST …/discussions`. */
class V4CreateCommitDiscussionDto extends V4CommitNoteDto {
  @ObjectParam(V4CommitPositionDto, {
    description: 'A line that the difference of the commit with its first parent shows.',
  })
  position?: V4CommitPositionDto;
}

@V4Controller('projects/:id/repository/commits/:sha/discussions', 'CommitDiscussions')
export class V4CommitDiscussionsController {
  constructor(
    private readonly discussions: CommitDiscussionsService,
    private readonly users: V4UserPresenter,
  ) {}

  /** The discussions of a commit, the oldest first: a comment each. */
  @Get()
  @Requires('code:read')
  @AnswersList(V4CommitDiscussionView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: PageQuery,
  ): Promise<Page<V4CommitDiscussionView>> {
    const { commit, page } = await this.discussions.list(project, sha, query);
    return mapPage(page, (comment) => presentCommitDiscussion(comment, commit, this.users));
  }

  /** One discussion of a commit. */
  @Get(':discussion_id')
  @Requires('code:read')
  @Answers(V4CommitDiscussionView)
  async read(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Param('discussion_id') id: string,
  ): Promise<V4CommitDiscussionView> {
    const found = await this.discussions.read(project, sha, id);
    return presentCommitDiscussion(found, found.commit, this.users);
  }

  /** Comments on a commit, or on a line that its difference shows. */
  @Post()
  @Requires('commit-comment:create')
  @TakesBody(TEXT_BODY)
  @Answers(V4CommitDiscussionView)
  async create(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Body() { body: note, position }: V4CreateCommitDiscussionDto,
  ): Promise<V4CommitDiscussionView> {
    const made = await this.discussions.create(project, sha, caller, {
      note,
      position: position && {
        headSha: position.head_sha,
        oldPath: position.old_path,
        newPath: position.new_path,
        oldLine: position.old_line ?? null,
        newLine: position.new_line ?? null,
      },
    });
    return presentCommitDiscussion(made, made.commit, this.users);
  }

  /** The notes of a discussion: its comment. */
  @Get(':discussion_id/notes')
  @Requires('code:read')
  @AnswersList(V4CommitNoteView)
  async listNotes(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Param('discussion_id') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<V4CommitNoteView>> {
    const found = await this.discussions.read(project, sha, id);
    return mapPage(Page.of([found], query), (one) =>
      presentCommitNote(one, one.commit, this.users),
    );
  }

  /** The comment of a discussion. */
  @Get(':discussion_id/notes/:note_id')
  @Requires('code:read')
  @Answers(V4CommitNoteView)
  async readNote(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Param('discussion_id') discussionId: string,
    @Param('note_id') noteId: number,
  ): Promise<V4CommitNoteView> {
    const found = await this.discussions.readNote(project, sha, { discussionId, noteId });
    return presentCommitNote(found, found.commit, this.users);
  }

  /** Refuses a reply: comments on commits stand by themselves. */
  @Post(':discussion_id/notes')
  @Requires('commit-comment:create')
  @TakesBody(TEXT_BODY)
  @Answers(V4CommitNoteView)
  async reply(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Param('discussion_id') id: string,
    @Body() _: V4CommitNoteDto,
  ): Promise<V4CommitNoteView> {
    return this.discussions.reply(project, sha, id);
  }

  /** Changes the text of a comment; for its author and maintainers. */
  @Put(':discussion_id/notes/:note_id')
  @Requires('commit-comment:create')
  @TakesBody(TEXT_BODY)
  @Answers(V4CommitNoteView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('sha') sha: string,
    @Param('discussion_id') discussionId: string,
    @Param('note_id') noteId: number,
    @Body() { body: note }: V4CommitNoteDto,
  ): Promise<V4CommitNoteView> {
    const change = { discussionId, noteId, note };
    const changed = await this.discussions.update(access, sha, caller, change);
    return presentCommitNote(changed, changed.commit, this.users);
  }

  /** Deletes a comment; for its author and maintainers. */
  @Delete(':discussion_id/notes/:note_id')
  @Requires('commit-comment:create')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('sha') sha: string,
    @Param('discussion_id') discussionId: string,
    @Param('note_id') noteId: number,
  ): Promise<void> {
    await this.discussions.remove(access, sha, caller, { discussionId, noteId });
  }
}
