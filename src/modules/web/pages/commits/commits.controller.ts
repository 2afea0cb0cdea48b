import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PageQuery } from '../../../../platform/http/index.js';
import { Requires } from '../../../authorization/index.js';
import { CommitCommentsService, CommitsService, DiffsService } from '../../../repository/index.js';
import { type User } from '../../../users/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import { PageAccess } from '../parts/page-access.js';
import { commitPage } from './commit-page.js';

const COMMENTS_PER_PAGE = 50;
const MAX_FILES = 1_000;

/** Pages of commits. */
@PageController('-/pages/:namespace/:project')
export class CommitPagesController {
  constructor(
    private readonly access: PageAccess,
    private readonly commits: CommitsService,
    private readonly diffs: DiffsService,
    private readonly comments: CommitCommentsService,
    private readonly pages: PageSender,
  ) {}

  @Get('commit/:sha')
  @Requires('page:open')
  async show(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Param('sha') sha: string,
    @Query() { page }: PageQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { project } = await this.access.toProject(request, viewer, 'code:read');
    const { commit, stats, status } = await (await this.commits.find(project, sha)).make();
    const changes = await this.diffs.listOfCommit(project, commit.oid, {
      page: 1,
      perPage: MAX_FILES,
    });
    const [diffs, comments] = await Promise.all([
      changes.make(),
      this.comments.list(project, commit.oid, { page, perPage: COMMENTS_PER_PAGE }),
    ]);
    const shown = commitPage({
      fullPath: `${project.namespacePath}/${project.path}`,
      projectId: project.id,
      commit,
      stats,
      status,
      diffs: diffs.items,
      isCut: diffs.total === null,
      comments,
    });
    this.pages.send(response, shown);
  }
}
