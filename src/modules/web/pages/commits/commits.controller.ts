import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PageQuery } from '../../../../platform/http/index.js';
import { mapPage } from '../../../../platform/pages/index.js';
import { Requires } from '../../../access/index.js';
import {
  CommitCommentsService,
  CommitsService,
  DiffsService,
  presentCommit,
  presentCommitComment,
  presentDiff,
} from '../../../repository/index.js';
import { type User, UserPresenter } from '../../../users/index.js';
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
    private readonly users: UserPresenter,
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
      per_page: MAX_FILES,
    });
    const [diffs, comments] = await Promise.all([
      changes.make(),
      this.comments.list(project, commit.oid, { page, per_page: COMMENTS_PER_PAGE }),
    ]);
    const shown = commitPage({
      fullPath: `${project.namespacePath}/${project.path}`,
      projectId: project.id,
      commit: presentCommit(commit, stats, status),
      diffs: diffs.items.map(presentDiff),
      isCut: diffs.total === null,
      comments: mapPage(comments, (comment) => ({
        id: comment.comment.id,
        ...presentCommitComment(comment, this.users),
      })),
    });
    this.pages.send(response, shown);
  }
}
