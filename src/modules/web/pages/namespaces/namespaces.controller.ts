import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { forbidden, notFound } from '../../../../platform/errors/index.js';
import {
  allowsOnGroup,
  canSeeGroup,
  type GroupAccess,
  GroupAccessRepository,
  Requires,
} from '../../../authorization/index.js';
import { GroupsService } from '../../../groups/index.js';
import { GroupProjectsService } from '../../../projects/index.js';
import { type User, UsersRepository } from '../../../users/index.js';
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
    private readonly access: GroupAccessRepository,
    private readonly groups: GroupsService,
    private readonly groupProjects: GroupProjectsService,
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
    if (access === null) throw notFound('group');
    if (!allowsOnGroup(access, 'group:read')) throw forbidden();
    const request = { page: 1, perPage: MAX_PROJECTS };
    const [group, projects] = await Promise.all([
      this.groups.read(access.group),
      this.groupProjects.list(reader, access.group, {}, request),
    ]);
    this.pages.send(
      response,
      groupPage({ group, projects: projects.items, hasMore: projects.hasNext }),
    );
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
      this.pages.send(response, userPage(user));
      return;
    }
    const access = await this.findGroup(reader, path);
    if (access === null) throw notFound('group');
    this.pages.redirect(response, `/groups/${access.group.path}`);
  }

  /** Null, too, for a group that the reader does not see. */
  private async findGroup(reader: User, path: string): Promise<GroupAccess | null> {
    const access = await this.access.find(reader, { by: 'path', path });
    return access === null || !canSeeGroup(access) ? null : access;
  }
}
