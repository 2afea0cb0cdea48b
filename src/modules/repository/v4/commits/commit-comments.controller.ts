import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
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
import { V4UserPresenter } from '../../../users/v4/index.js';
import { LINE_TYPES, type LineType } from '../../commits/comments/commit-comment.entity.js';
import {
  type AuthoredComment,
  CommitCommentsService,
} from '../../commits/comments/commit-comments.service.js';
import { V4CommitCommentView } from './commit-comment.view.js';

/** `POST /projects/:id/repository/commits/:sha/comments`. */
@GivenWith('path', 'line')
class V4CreateCommitCommentDto {
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

@V4Controller('projects/:id/repository/commits/:sha/comments', 'CommitComments')
export class V4CommitCommentsController {
  constructor(
    private readonly comments: CommitCommentsService,
    private readonly users: V4UserPresenter,
  ) {}

  /** The comments on a commit, the oldest first. */
  @Get()
  @Requires('code:browse')
  @AnswersList(V4CommitCommentView)
  async list(
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Query() query: PageQuery,
  ): Promise<Page<V4CommitCommentView>> {
    const page = await this.comments.list(project, sha, query);
    return mapPage(page, (comment) => this.present(comment));
  }

  /** Comments on a commit, or on one of the lines it changes. */
  @Post()
  @Requires('commit-comment:create')
  @TakesBody(TEXT_BODY)
  @Answers(V4CommitCommentView)
  async create(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Body() { note, path, line, line_type: lineType }: V4CreateCommitCommentDto,
  ): Promise<V4CommitCommentView> {
    const input = { note, path, line, lineType };
    return this.present(await this.comments.create(project, sha, caller, input));
  }

  private present({ comment, author }: AuthoredComment): V4CommitCommentView {
    return {
      note: comment.note,
      path: comment.path,
      line: comment.line,
      line_type: comment.lineType,
      author: this.users.basic(author),
      created_at: comment.createdAt,
    };
  }
}
