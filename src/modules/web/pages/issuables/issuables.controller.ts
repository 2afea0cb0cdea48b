import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isValidBranchName } from '../../../../git/index.js';
import { forbidden, recordNotFound } from '../../../../platform/errors/index.js';
import { PageQuery, PathIds } from '../../../../platform/http/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { type ProjectAccess, Requires } from '../../../authorization/index.js';
import {
  isEnabled,
  type IssuableType,
  MilestonesRepository,
  NotesService,
} from '../../../issuables/index.js';
import { IssueListsService, IssuesService } from '../../../issues/index.js';
import { MergeRequestsService, VersionsService } from '../../../merge-requests/index.js';
import type { User } from '../../../users/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import type { ShownNote } from '../parts/notes.js';
import { PageAccess, required } from '../parts/page-access.js';
import { issuePage } from './issue-page.js';
import { mergeRequestPage, newMergeRequestPage } from './merge-request-page.js';
import { milestonePage } from './milestone-page.js';

const NOTES_PER_PAGE = 50;
const MAX_COMMITS = 100;
const MAX_ISSUES = 100;

class NewMergeRequestDto {
  merge_request?: unknown;
}

/** Pages of issues, merge requests and milestones, by their numbers in the project. */
@PageController('-/pages/:namespace/:project')
@PathIds({ iid: 'no route' })
export class IssuablePagesController {
  constructor(
    private readonly access: PageAccess,
    private readonly issues: IssuesService,
    private readonly issueLists: IssueListsService,
    private readonly mergeRequests: MergeRequestsService,
    private readonly versions: VersionsService,
    private readonly milestones: MilestonesRepository,
    private readonly notes: NotesService,
    private readonly pages: PageSender,
  ) {}

  @Get('issues/:iid')
  @Requires('page:open')
  async issue(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Param('iid') iid: number,
    @Query() query: PageQuery,
    @Res() response: Response,
  ): Promise<void> {
    const access = await this.access.toProject(request, viewer, 'issue:read');
    const reader = required(viewer);
    const loaded = await this.issues.read(access, reader, { iid });
    const notes = await this.notesOn('Issue', loaded.issuable.id, reader, query);
    this.pages.send(response, issuePage({ fullPath: fullPathOf(access), loaded, notes }));
  }

  @Get('merge_requests/new')
  @Requires('page:open')
  async newMergeRequest(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Query() { merge_request }: NewMergeRequestDto,
    @Res() response: Response,
  ): Promise<void> {
    const access = await this.access.toProject(request, viewer, 'merge-request:create');
    const given = merge_request as { source_branch?: unknown } | undefined;
    const named = given?.source_branch;
    // Anyone may make such an address, and people paste what the page shows: no control characters for their terminal.
    const isBranch = typeof named === 'string' && isValidBranchName(named);
    const { id, defaultBranch } = access.project;
    const page = newMergeRequestPage({
      fullPath: fullPathOf(access),
      projectId: id,
      sourceBranch: isBranch ? named : 'BRANCH',
      targetBranch: defaultBranch ?? 'master',
    });
    this.pages.send(response, page);
  }

  @Get('merge_requests/:iid')
  @Requires('page:open')
  async mergeRequest(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Param('iid') iid: number,
    @Query() query: PageQuery,
    @Res() response: Response,
  ): Promise<void> {
    const access = await this.access.toProject(request, viewer, 'merge-request:read');
    const reader = required(viewer);
    if (!isEnabled(access.project, 'MergeRequest')) throw forbidden();
    const { project } = access;
    const loaded = await this.mergeRequests.read(access, reader, { iid });
    const version = await this.versions.findNewest(loaded.issuable);
    const [commits, changes, notes] = await Promise.all([
      version === null ? [] : this.versions.readNewestCommits(project, version, MAX_COMMITS),
      this.versions.compare(project, version).make(),
      this.notesOn('MergeRequest', loaded.issuable.id, reader, query),
    ]);
    const page = mergeRequestPage({
      fullPath: fullPathOf(access),
      loaded,
      commits,
      changes,
      isCut: version?.realSize?.endsWith('+') === true,
      notes,
    });
    this.pages.send(response, page);
  }

  @Get('milestones/:iid')
  @Requires('page:open')
  async milestone(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Param('iid') iid: number,
    @Res() response: Response,
  ): Promise<void> {
    const access = await this.access.toProject(request, viewer, 'milestone:read');
    const reader = required(viewer);
    const { project } = access;
    const isUsed = isEnabled(project, 'Issue') || isEnabled(project, 'MergeRequest');
    if (!isUsed) throw forbidden();
    const one = { page: 1, perPage: 1 };
    const { items } = await this.milestones.list({ projectId: project.id }, { iids: [iid] }, one);
    const [milestone] = items;
    if (milestone === undefined) throw recordNotFound('milestone');
    const first = { page: 1, perPage: MAX_ISSUES };
    const issues = await this.issueLists.listOfMilestone(access, reader, milestone.id, first);
    const page = milestonePage({
      fullPath: fullPathOf(access),
      milestone,
      issues: issues.items,
    });
    this.pages.send(response, page);
  }

  private async notesOn(
    type: IssuableType,
    id: number,
    reader: User,
    { page }: PageQuery,
  ): Promise<Page<ShownNote>> {
    const notes = await this.notes.list({ type, id }, reader, { page, perPage: NOTES_PER_PAGE });
    return mapPage(notes, ({ note, author }) => ({
      anchor: `note_${note.id}`,
      author,
      createdAt: note.createdAt,
      text: note.body,
      isSystem: note.system,
    }));
  }
}

const fullPathOf = ({ project }: ProjectAccess): string =>
  `${project.namespacePath}/${project.path}`;
