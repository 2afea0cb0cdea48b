import { Body, Delete, Get, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { v4Address, V4Controller } from '../../../faces/index.js';
import { Urls } from '../../../platform/config/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  FixedStatus,
  MayAnswer,
  queryOf,
  restOfPath,
  TakesBody,
} from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  allows,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { User } from '../../users/index.js';
import { ReleaseLinksService } from '../links/release-links.service.js';
import { ReleasesService } from '../releases.service.js';
import {
  toNewRelease,
  toReleaseChanges,
  toReleaseQuery,
  V4CreateReleaseDto,
  V4ListReleasesDto,
  V4UpdateReleaseDto,
} from './release.dto.js';
import { V4ReleasePresenter } from './release.presenter.js';
import { V4ReleaseForGuestView, V4ReleaseView } from './release.view.js';

@V4Controller('projects/:id/releases', 'Releases')
export class V4ReleasesController {
  constructor(
    private readonly releases: ReleasesService,
    private readonly links: ReleaseLinksService,
    private readonly presenter: V4ReleasePresenter,
    private readonly urls: Urls,
  ) {}

  /** The releases of a project, those of the latest date first. */
  @Get()
  @Requires('release:browse')
  @AnswersList(V4ReleaseView, { or: V4ReleaseForGuestView })
  async list(
    @Access() access: ProjectAccess,
    @Query() query: V4ListReleasesDto,
  ): Promise<Page<V4ReleaseView | V4ReleaseForGuestView>> {
    const readsCode = allows(access, 'code:browse');
    const selection = toReleaseQuery(query);
    const page = await this.releases.list(access.project, selection, query, { readsCode });
    return mapPage(page, (release) => this.presenter.listed(access, release));
  }

  /** Redirects to the release with the latest date that is not in the future; what follows in the path is kept. */
  @Get(['permalink/latest', 'permalink/latest/*suffix'])
  @Requires('code:browse')
  @FixedStatus(302)
  @AnswersNothing({ description: 'The address of the release.' })
  async redirectToLatest(
    @InProject() project: ProjectRef,
    @Param('suffix') suffix: string | string[] | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const path = await this.releases.readLatestPath(project, restOfPath(suffix ?? ''));
    const releases = v4Address(this.urls, 'projects', String(project.id), 'releases');
    redirect(response, `${releases}/${path}${queryOf(request)}`);
  }

  /** The release of a tag. */
  @Get(':tag_name')
  @Requires('code:browse')
  @Answers(V4ReleaseView)
  async read(
    @Access() access: ProjectAccess,
    @Param('tag_name') tag: string,
  ): Promise<V4ReleaseView> {
    return this.presenter.release(access, await this.releases.read(access.project, tag));
  }

  /** Redirects to the asset at a path of the release. */
  @Get(':tag_name/downloads/*direct_asset_path')
  @Requires('code:browse')
  @FixedStatus(302)
  @AnswersNothing({ description: 'The address of the asset.' })
  async download(
    @InProject() project: ProjectRef,
    @Param('tag_name') tag: string,
    @Param('direct_asset_path') path: string | string[],
    @Res() response: Response,
  ): Promise<void> {
    redirect(response, await this.links.readTarget(project, tag, restOfPath(path)));
  }

  /** Creates a release, and its tag if that does not exist. */
  @Post()
  @Requires('code:push')
  @TakesBody(TEXT_BODY)
  @Answers(V4ReleaseView)
  @MayAnswer(409, 422)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4CreateReleaseDto,
  ): Promise<V4ReleaseView> {
    const release = await this.releases.create(caller, access, toNewRelease(body));
    return this.presenter.release(access, release);
  }

  /** Changes a release. */
  @Put(':tag_name')
  @Requires('code:push')
  @TakesBody(TEXT_BODY)
  @Answers(V4ReleaseView)
  async update(
    @Access() access: ProjectAccess,
    @Param('tag_name') tag: string,
    @Body() body: V4UpdateReleaseDto,
  ): Promise<V4ReleaseView> {
    const release = await this.releases.update(access.project, tag, toReleaseChanges(body));
    return this.presenter.release(access, release);
  }

  /** Deletes a release with its links. Its tag stays. */
  @Delete(':tag_name')
  @Requires('code:push')
  @FixedStatus(200)
  @Answers(V4ReleaseView)
  async remove(
    @Access() access: ProjectAccess,
    @Param('tag_name') tag: string,
  ): Promise<V4ReleaseView> {
    return this.presenter.release(access, await this.releases.remove(access.project, tag));
  }
}

/** Others may change where it leads at any time. */
function redirect(response: Response, address: string): void {
  response.status(302).set('Cache-Control', 'no-store').location(address).end();
}
