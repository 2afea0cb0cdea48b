import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Urls } from '../../../../platform/config/index.js';
import { forbidden, notFound } from '../../../../platform/errors/index.js';
import {
  allowsOnGroup,
  canSeeGroup,
  type GroupAccess,
  GroupAccessRepository,
  Requires,
} from '../../../access/index.js';
import { GroupsService, presentGroup } from '../../../groups/index.js';
import { GroupProjectsService, ProjectPresenter } from '../../../projects/index.js';
import { type User, UserPresenter, UsersRepository } from '../../../users/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import { required } from '../parts/page-access.js';
import { groupPage } from './group-page.js';
import { userPage } from './user-page.js';

const MAX_PROJECTS = 100;

/** Pages of users and groups, for signed-in readers. */
@PageController('-/pages')
export class NamespacePagesController {
  constructor(
    private readonly users: UsersRepository,
    private readonly presenter: UserPresenter,
    private readonly access: GroupAccessRepository,
    private readonly groups: GroupsService,
    private readonly groupProjects: GroupProjectsService,
    private readonly projects: ProjectPresenter,
    private readonly urls: Urls,
    private readonly pages: PageSender,
  ) {}

  @Get('groups/:path')
  @Requires('page:open')
  async group(
    @Viewer() viewer: User | null,
    @Param('path') path: string,
    @Res() response: Response,
  ): Promise<void> {
    const reader = required(viewer);
    const access = await this.findGroup(reader, path);
    if (access === null) throw notFound('Group');
    if (!allowsOnGroup(access, 'group:read')) throw forbidden();
    const request = { page: 1, per_page: MAX_PROJECTS };
    const [group, projects] = await Promise.all([
      this.groups.read(access.group),
      this.groupProjects.list(reader, access.group, {}, request),
    ]);
    const page = groupPage({
      group: presentGroup(group, this.urls),
      projects: projects.items.map((project) => this.projects.present(project)),
      hasMore: projects.hasNext,
    });
    this.pages.send(response, page);
  }

  /** A user, or the beginning of the addresses of a group's projects. */
  @Get(':namespace')
  @Requires('page:open')
  async namespace(
    @Viewer() viewer: User | null,
    @Param('namespace') path: string,
    @Res() response: Response,
  ): Promise<void> {
    const reader = required(viewer);
    const user = await this.users.findByUsername(path);
    if (user !== null) {
      this.pages.send(response, userPage(this.presenter.profile(user)));
      return;
    }
    const access = await this.findGroup(reader, path);
    if (access === null) throw notFound('Group');
    this.pages.redirect(response, `/groups/${access.group.path}`);
  }

  /** Null, too, for a group that the reader does not see. */
  private async findGroup(reader: User, path: string): Promise<GroupAccess | null> {
    const access = await this.access.find(reader, { by: 'path', path });
    return access === null || !canSeeGroup(access) ? null : access;
  }
}
