import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PageQuery, queryOf, restOfPath } from '../../../../platform/http/index.js';
import { allows, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { ReleaseLinksService, ReleasesService } from '../../../releases/index.js';
import type { User } from '../../../users/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import { PageAccess } from '../parts/page-access.js';
import { releaseListPage, releasePage } from './release-pages.js';

const RELEASES_PER_PAGE = 50;

const NEWEST_FIRST = { order: 'released', isAscending: false } as const;

/** Pages of releases, and the permanent addresses of their assets. */
@PageController('-/pages/:namespace/:project/-/releases')
export class ReleasePagesController {
  constructor(
    private readonly access: PageAccess,
    private readonly releases: ReleasesService,
    private readonly links: ReleaseLinksService,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async list(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Query() { page }: PageQuery,
    @Res() response: Response,
  ): Promise<void> {
    const access = await this.access.toProject(request, viewer, 'release:browse');
    const readsCode = allows(access, 'code:browse');
    const window = { page, perPage: RELEASES_PER_PAGE };
    const { project } = access;
    const releases = await this.releases.list(project, NEWEST_FIRST, window, { readsCode: false });
    const fullPath = fullPathOf(access);
    const shown = releaseListPage({ fullPath, projectId: project.id, releases, readsCode });
    this.pages.send(response, shown);
  }

  @Get(['permalink/latest', 'permalink/latest/*suffix'])
  @Requires('page:open')
  async latest(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Param('suffix') suffix: string | string[] | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const caller = await this.access.callerOf(request, viewer);
    const access = await this.access.toProject(request, caller, 'code:browse');
    const path = await this.releases.readLatestPath(access.project, restOfPath(suffix ?? ''));
    const query = queryOf(request);
    this.pages.redirect(response, `/${fullPathOf(access)}/-/releases/${path}${query}`);
  }

  @Get(':tag_name')
  @Requires('page:open')
  async show(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Param('tag_name') tag: string,
    @Res() response: Response,
  ): Promise<void> {
    const access = await this.access.toProject(request, viewer, 'code:browse');
    const described = await this.releases.read(access.project, tag);
    const fullPath = fullPathOf(access);
    this.pages.send(response, releasePage({ fullPath, projectId: access.project.id, described }));
  }

  @Get(':tag_name/downloads/*path')
  @Requires('page:open')
  async download(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Param('tag_name') tag: string,
    @Param('path') path: string | string[],
    @Res() response: Response,
  ): Promise<void> {
    const caller = await this.access.callerOf(request, viewer);
    const { project } = await this.access.toProject(request, caller, 'code:browse');
    const address = await this.links.readTarget(project, tag, restOfPath(path));
    response.status(302).set('Cache-Control', 'private, no-store').location(address).end();
  }
}

const fullPathOf = ({ project }: ProjectAccess): string =>
  `${project.namespacePath}/${project.path}`;
