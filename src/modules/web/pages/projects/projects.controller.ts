import { Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Urls } from '../../../../platform/config/index.js';
import { allows, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { isEnabled } from '../../../issuables/index.js';
import { IssueListsService } from '../../../issues/index.js';
import { MergeRequestsService } from '../../../merge-requests/index.js';
import { ProjectsService } from '../../../projects/index.js';
import { CommitsService } from '../../../repository/index.js';
import type { User } from '../../../users/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import { PageAccess } from '../parts/page-access.js';
import { projectPage, type ProjectPage } from './project-page.js';

/** Of each list. */
const NEWEST = { page: 1, perPage: 20 };
const ORDER = { by: 'created_at', direction: 'desc' } as const;

type Contents = Pick<ProjectPage, 'issues' | 'mergeRequests' | 'commits'>;

/** Pages of projects. */
@PageController('-/pages')
export class ProjectPagesController {
  constructor(
    private readonly access: PageAccess,
    private readonly projects: ProjectsService,
    private readonly issues: IssueListsService,
    private readonly mergeRequests: MergeRequestsService,
    private readonly commits: CommitsService,
    private readonly urls: Urls,
    private readonly pages: PageSender,
  ) {}

  @Get(':namespace/:project')
  @Requires('page:open')
  async show(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const access = await this.access.toProject(request, viewer, 'project:read');
    const [loaded, contents] = await Promise.all([
      this.projects.read(access.project.id, { reader: viewer }),
      viewer === null ? {} : this.contentsFor(viewer, access),
    ]);
    this.pages.send(response, projectPage({ loaded, urls: this.urls, ...contents }));
  }

  /** What of the project the reader may list, by the abilities that the lists of the API require. */
  private async contentsFor(reader: User, access: ProjectAccess): Promise<Contents> {
    const { project } = access;
    const mayList = {
      issues: allows(access, 'issue:read') && isEnabled(project, 'Issue'),
      mergeRequests: allows(access, 'merge-request:list') && isEnabled(project, 'MergeRequest'),
      commits: allows(access, 'code:read'),
    };
    const [issues, mergeRequests, commits] = await Promise.all([
      mayList.issues ? this.openIssues(access, reader) : undefined,
      mayList.mergeRequests ? this.openMergeRequests(access, reader) : undefined,
      mayList.commits ? this.newestCommits(access) : undefined,
    ]);
    return { issues, mergeRequests, commits };
  }

  private async openIssues(access: ProjectAccess, reader: User): Promise<Contents['issues']> {
    const filter = { states: ['opened'], labels: [], order: ORDER } as const;
    const { items } = await this.issues.listOfProject(access, reader, filter, NEWEST);
    return items;
  }

  private async openMergeRequests(
    { project }: ProjectAccess,
    reader: User,
  ): Promise<Contents['mergeRequests']> {
    const filter = { states: ['opened', 'reopened'], order: ORDER } as const;
    const { items } = await this.mergeRequests.list(project, reader, filter, NEWEST);
    return items;
  }

  private async newestCommits({ project }: ProjectAccess): Promise<Contents['commits']> {
    const { items } = await (await this.commits.list(project, {}, NEWEST)).make();
    return items;
  }
}
