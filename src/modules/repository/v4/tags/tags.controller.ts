import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  restOfPath,
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
import { formatGitDate } from '../../shared/git-date.js';
import { type Tag, TagsService } from '../../tags/tags.service.js';
import { V4CommitPresenter } from '../commits/commit.presenter.js';
import { followedByToken, toKeysetRequest } from '../keyset.dto.js';
import { V4CreateTagDto, V4ListTagsDto } from './tag.dto.js';
import { V4TagView } from './tag.view.js';

@V4Controller('projects/:id/repository/tags', 'Tags')
export class V4TagsController {
  constructor(
    private readonly tags: TagsService,
    private readonly commits: V4CommitPresenter,
  ) {}

  /** The tags, the newest first. */
  @Get()
  @Requires('code:browse')
  @AnswersList(V4TagView)
  @MayAnswer(422)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: V4ListTagsDto,
  ): Promise<Page<V4TagView>> {
    const { order_by: order, sort, search } = query;
    const { request, after } = toKeysetRequest(query);
    const selection = { order, isAscending: sort === 'asc', search, after };
    const page = await this.tags.list(project, request, selection, (names) =>
      followedByToken(names, query, ({ name }) => name),
    );
    return mapPage(page, (tag) => this.present(project, tag));
  }

  /** One tag; its name may contain slashes, encoded or not. */
  @Get('*tag_name')
  @Requires('code:browse')
  @Answers(V4TagView)
  async read(
    @InProject() project: ProjectRef,
    @Param('tag_name') name: string | string[],
  ): Promise<V4TagView> {
    return this.present(project, await this.tags.read(project, restOfPath(name)));
  }

  /** Creates a tag, an annotated one if there is a message. */
  @Post()
  @Requires('code:push')
  @TakesBody(TEXT_BODY)
  @Answers(V4TagView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4CreateTagDto,
  ): Promise<V4TagView> {
    const { tag_name: name, ref: target, message, release_description: releaseDescription } = body;
    await this.tags.create(caller, access, { name, target, message, releaseDescription });
    return this.present(access.project, await this.tags.read(access.project, name));
  }

  /** Deletes a tag with its release. */
  @Delete('*tag_name')
  @Requires('code:push')
  @AnswersNothing()
  @MayAnswer(409)
  async delete(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('tag_name') tag: string | string[],
  ): Promise<void> {
    await this.tags.delete(caller, access, restOfPath(tag));
  }

  private present(project: ProjectRef, tag: Tag): V4TagView {
    const { name, message, target, commit, release, tagger } = tag;
    return {
      name,
      message: message ?? '',
      target,
      commit: commit && this.commits.listed(project, commit),
      release: release === null ? null : { tag_name: name, description: release },
      protected: false,
      created_at: tagger && formatGitDate(tagger),
    };
  }
}
