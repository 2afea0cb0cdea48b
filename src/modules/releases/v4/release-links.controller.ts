import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers, AnswersList, FixedStatus, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { ReleaseLinksService } from '../links/release-links.service.js';
import {
  toLinkChanges,
  toLinkValues,
  V4CreateReleaseLinkDto,
  V4UpdateReleaseLinkDto,
} from './release.dto.js';
import { V4ReleasePresenter } from './release.presenter.js';
import { V4ReleaseLinkView } from './release.view.js';

@V4Controller('projects/:id/releases/:tag_name/assets/links', 'ReleaseLinks')
export class V4ReleaseLinksController {
  constructor(
    private readonly links: ReleaseLinksService,
    private readonly presenter: V4ReleasePresenter,
  ) {}

  /** The links of a release, the newest first. */
  @Get()
  @Requires('code:browse')
  @AnswersList(V4ReleaseLinkView)
  async list(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string,
    @Query() query: PageQuery,
  ): Promise<Page<V4ReleaseLinkView>> {
    const page = await this.links.list(project, tag, query);
    return mapPage(page, (link) => this.presenter.link(project, tag, link));
  }

  /** A link of a release. */
  @Get(':link_id')
  @Requires('code:browse')
  @Answers(V4ReleaseLinkView)
  async read(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string,
    @Param('link_id') id: number,
  ): Promise<V4ReleaseLinkView> {
    return this.presenter.link(project, tag, await this.links.read(project, tag, id));
  }

  /** Adds a link to a release, which has at most 100. */
  @Post()
  @Requires('code:push')
  @Answers(V4ReleaseLinkView)
  async create(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string,
    @Body() body: V4CreateReleaseLinkDto,
  ): Promise<V4ReleaseLinkView> {
    const link = await this.links.create(project, tag, toLinkValues(body));
    return this.presenter.link(project, tag, link);
  }

  /** Changes a link of a release. */
  @Put(':link_id')
  @Requires('code:push')
  @Answers(V4ReleaseLinkView)
  async update(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string,
    @Param('link_id') id: number,
    @Body() body: V4UpdateReleaseLinkDto,
  ): Promise<V4ReleaseLinkView> {
    const link = await this.links.update(project, tag, id, toLinkChanges(body));
    return this.presenter.link(project, tag, link);
  }

  /** Deletes a link of a release. */
  @Delete(':link_id')
  @Requires('code:push')
  @FixedStatus(200)
  @Answers(V4ReleaseLinkView)
  async remove(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string,
    @Param('link_id') id: number,
  ): Promise<V4ReleaseLinkView> {
    return this.presenter.link(project, tag, await this.links.remove(project, tag, id));
  }
}
