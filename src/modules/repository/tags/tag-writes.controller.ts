import { Body, Controller, Delete, Param, Post, Put } from '@nestjs/common';
import { Answers, MayAnswer, restOfPath } from '../../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../access/index.js';
import { User } from '../../users/index.js';
import { DeletedTagView } from './deleted-tag.view.js';
import { CreateTagDto, WriteReleaseDto } from './dto/write-tag.dto.js';
import { ReleasesService } from './releases.service.js';
import { presentTag } from './tag.presenter.js';
import { ReleaseView, TagView } from './tag.view.js';
import { TagWrites } from './tag-writes.js';
import { TagsService } from './tags.service.js';

@Controller('projects/:id/repository/tags')
export class TagWritesController {
  constructor(
    private readonly writes: TagWrites,
    private readonly releases: ReleasesService,
    private readonly tags: TagsService,
  ) {}

  /** Says something about the version that a tag marks. */
  @Post('*tag_name/release')
  @Requires('code:push')
  @Answers(ReleaseView)
  @MayAnswer(409)
  async createRelease(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string | string[],
    @Body() { description }: WriteReleaseDto,
  ): Promise<ReleaseView> {
    const name = restOfPath(tag);
    await this.releases.create(project, name, description);
    return { tag_name: name, description };
  }

  /** Says something else about it. */
  @Put('*tag_name/release')
  @Requires('code:push')
  @Answers(ReleaseView)
  async updateRelease(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string | string[],
    @Body() { description }: WriteReleaseDto,
  ): Promise<ReleaseView> {
    const name = restOfPath(tag);
    await this.releases.update(project, name, description);
    return { tag_name: name, description };
  }

  /** Makes a tag; with a message an annotated one. */
  @Post()
  @Requires('code:push')
  @Answers(TagView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateTagDto,
  ): Promise<TagView> {
    const { tag_name: name, ref: target, message, release_description: releaseDescription } = body;
    await this.writes.create(caller, access, { name, target, message, releaseDescription });
    return presentTag(await this.tags.read(access.project, name));
  }

  /** Deletes a tag, and what was written about it. */
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
    await this.writes.delete(caller, access, name);
    return { tag_name: name };
  }
}
