import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  MayAnswer,
  PageQuery,
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
import { CreateTagDto, WriteReleaseDto } from './tag.dto.js';
import { DeletedTagView, presentTag, ReleaseView, TagView } from './tag.view.js';
import { TagsService } from '../../tags/tags.service.js';

@V3Controller('projects/:id/repository/tags', 'Tags')
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  /** The tags by name, the last first. */
  @Get()
  @Requires('code:read')
  @AnswersList(TagView)
  async list(@InProject() project: ProjectRef, @Query() query: PageQuery): Promise<Page<TagView>> {
    return mapPage(await this.tags.list(project, query), presentTag);
  }

  /** One tag; its name may contain slashes, encoded or not. */
  @Get('*tag_name')
  @Requires('code:read')
  @Answers(TagView)
  async read(
    @InProject() project: ProjectRef,
    @Param('tag_name') name: string | string[],
  ): Promise<TagView> {
    return presentTag(await this.tags.read(project, restOfPath(name)));
  }

  /** Creates the release of a tag. */
  @Post('*tag_name/release')
  @Requires('code:push')
  @TakesBody(TEXT_BODY)
  @Answers(ReleaseView)
  @MayAnswer(409)
  async createRelease(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string | string[],
    @Body() { description }: WriteReleaseDto,
  ): Promise<ReleaseView> {
    const name = restOfPath(tag);
    await this.tags.createRelease(caller, project, name, description);
    return { tag_name: name, description };
  }

  /** Updates the release of a tag. */
  @Put('*tag_name/release')
  @Requires('code:push')
  @TakesBody(TEXT_BODY)
  @Answers(ReleaseView)
  async updateRelease(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string | string[],
    @Body() { description }: WriteReleaseDto,
  ): Promise<ReleaseView> {
    const name = restOfPath(tag);
    await this.tags.updateRelease(project, name, description);
    return { tag_name: name, description };
  }

  /** Creates a tag, an annotated one if there is a message. */
  @Post()
  @Requires('code:push')
  @TakesBody(TEXT_BODY)
  @Answers(TagView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateTagDto,
  ): Promise<TagView> {
    const { tag_name: name, ref: target, message, release_description: releaseDescription } = body;
    await this.tags.create(caller, access, { name, target, message, releaseDescription });
    return presentTag(await this.tags.read(access.project, name));
  }

  /** Deletes a tag with its release. */
  @Delete('*tag_name')
  @Requires('code:push')
  @Answers(DeletedTagView)
  @MayAnswer(409)
  async delete(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('tag_name') tag: string | string[],
  ): Promise<DeletedTagView> {
    const name = restOfPath(tag);
    await this.tags.delete(caller, access, name);
    return { tag_name: name };
  }
}
