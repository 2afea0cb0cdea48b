import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  type Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { CommitCommentPresenter } from './commit-comment.presenter.js';
import { CommitCommentView } from './commit-comment.view.js';
import { CommitCommentsService } from './commit-comments.service.js';
import { CreateCommitComment } from './create-commit-comment.js';
import { CreateCommitCommentDto } from './dto/create-commit-comment.dto.js';

@Controller('projects/:id/repository/commits/:sha/comments')
export class CommitCommentsController {
  constructor(
    private readonly comments: CommitCommentsService,
    private readonly creation: CreateCommitComment,
    private readonly presenter: CommitCommentPresenter,
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
    return mapPage(page, (comment) => this.presenter.present(comment));
  }

  /** Comments on a commit, or on one of the lines it changes. */
  @Post()
  @Requires('commit-comment:create')
  @Answers(CommitCommentView)
  async create(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('sha') sha: string,
    @Body() { note, path, line, line_type: lineType }: CreateCommitCommentDto,
  ): Promise<CommitCommentView> {
    const input = { note, path, line, lineType };
    return this.presenter.present(await this.creation.run(project, sha, caller, input));
  }
}
