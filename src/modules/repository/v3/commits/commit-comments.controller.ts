import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  EnumParam,
  GivenWith,
  IntegerParam,
  PageQuery,
  StringParam,
  TakesBody,
} from '../../../../platform/http/index.js';
import { TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { UserPresenter } from '../../../users/v3/index.js';
import { LINE_TYPES, type LineType } from '../../commits/comments/commit-comment.entity.js';
import { CommitCommentView, presentCommitComment } from './commit-comment.view.js';
import { CommitCommentsService } from '../../commits/comments/commit-comments.service.js';

/** `POST /projects/:id/repository/commits/:sha/comments`. */
@GivenWith('path', 'line')
class CreateCommitCommentDto {
  @StringParam({ required: true })
  note!: string;

  @StringParam({ blank: 'absent', description: 'A file, as it is called after the commit.' })
  path?: string;

  @IntegerParam({ description: 'A line of it that the commit changes; needed with `path`.' })
  line?: number;

  @EnumParam(LINE_TYPES, {
    default: 'new',
    description: 'Whether the line is one of the file after the commit or before it.',
  })
  line_type: LineType = 'new';
}

@V3Controller('projects/:id/repository/commits/:sha/comments', 'CommitComments')
export class CommitCommentsController {
  constructor(
    private readonly comments: CommitCommentsService,
    private readonly users: UserPresenter,
  ) {}

  /** The comments on a commit, the oldest first. */
  @Get()
  @Requires('code:read')
  @AnswersList(CommitCommentView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: PageQuery,
  ): Promise<Page<CommitCommentView>> {
    const page = await this.comments.list(project, sha, query);
    return mapPage(page, (comment) => presentCommitComment(comment, this.users));
  }

  /** Comments on a commit, or on one of the lines it changes. */
  @Post()
  @Requires('commit-comment:create')
  @TakesBody(TEXT_BODY)
  @Answers(CommitCommentView)
  async create(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Body() { note, path, line, line_type: lineType }: CreateCommitCommentDto,
  ): Promise<CommitCommentView> {
    const input = { note, path, line, lineType };
    const comment = await this.comments.create(project, sha, caller, input);
    return presentCommitComment(comment, this.users);
  }
}
