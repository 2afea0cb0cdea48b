import { Get, Param, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Urls } from '../../../platform/config/index.js';
import {
  Access,
  Caller,
  Client,
  type GroupRef,
  InGroup,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import { User } from '../../users/index.js';
import {
  ListGroupIssuesDto,
  ListOwnIssuesDto,
  ListProjectIssuesDto,
  toListFilter,
} from './issue.dto.js';
import { IssueView, presentIssue } from './issue.view.js';
import type { IssueWithRelations } from '../model/issues.repository.js';
import { IssueListsService } from '../lists/issue-lists.service.js';

@V3Controller('', 'IssueLists')
export class IssueListsController {
  constructor(
    private readonly lists: IssueListsService,
    private readonly urls: Urls,
  ) {}

  /** The issues that the caller created, in projects that they still see. */
  @Get('issues')
  @Requires('issue:list')
  @AnswersList(IssueView)
  async own(@Caller() caller: User, @Query() query: ListOwnIssuesDto): Promise<Page<IssueView>> {
    return this.present(await this.lists.listOfAuthor(caller, toListFilter(query), query));
  }

  /** The issues of a group's projects, archived ones left out, as far as the caller may read them. */
  @Get('groups/:id/issues')
  @Requires('group:read')
  @AnswersList(IssueView)
  async ofGroup(
    @Caller() reader: User,
    @Client() client: SlotCaller,
    @InGroup() group: GroupRef,
    @Query() query: ListGroupIssuesDto,
  ): Promise<Page<IssueView>> {
    const filter = toListFilter(query);
    return this.present(await this.lists.listOfGroup(group, { reader, client }, filter, query));
  }

  /** The issues of a project, as far as the caller may read them. */
  @Get('projects/:id/issues')
  @Requires('issue:read')
  @AnswersList(IssueView)
  async ofProject(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Query() query: ListProjectIssuesDto,
  ): Promise<Page<IssueView>> {
    return this.present(await this.lists.listOfProject(access, caller, toListFilter(query), query));
  }

  /** The issues of a milestone, the newest first, as far as the caller may read them. */
  @Get('projects/:id/milestones/:milestone_id/issues')
  @Requires('milestone:read')
  @RequiresEnabled('Issue', 'MergeRequest')
  @AnswersList(IssueView)
  async ofMilestone(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('milestone_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<IssueView>> {
    return this.present(await this.lists.listOfMilestone(access, caller, id, query));
  }

  private present(page: Page<IssueWithRelations>): Page<IssueView> {
    return mapPage(page, (issue) => presentIssue(issue, this.urls));
  }
}
