import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  Page,
  PageQuery,
  restOfPath,
} from '../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { presentTag } from './tag.presenter.js';
import { TagView } from './tag.view.js';
import { TagsService } from './tags.service.js';

@Controller('projects/:id/repository/tags')
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
}
