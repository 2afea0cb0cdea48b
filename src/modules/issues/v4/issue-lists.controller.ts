import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPageInParts, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  type GroupRef,
  InGroup,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { type ListPlace, toScope } from '../../issuables/v4/index.js';
import { User } from '../../users/index.js';
import { IssueListsService } from '../lists/issue-lists.service.js';
import type { IssueWithRelations } from '../model/issues.repository.js';
import { toListFilter, V4ListIssuesDto } from './issue.dto.js';
import { V4IssuePresenter, V4IssueView } from './issue.view.js';

@V4Controller('', 'IssueLists')
export class V4IssueListsController {
  constructor(
    private readonly lists: IssueListsService,
    private readonly presenter: V4IssuePresenter,
  ) {}

  /** Issues of all projects that the caller sees, by default those that they created. */
  @Get('issues')
  @Requires('issue:list')
  @AnswersList(V4IssueView)
  async everywhere(
    @Caller() caller: User,
    @Query() query: V4ListIssuesDto,
  ): Promise<Page<V4IssueView>> {
    const filter = toListFilter(query, caller.id, 'created_by_me');
    return this.present(await this.listEverywhere(caller, query, filter), 'anywhere');
  }

  /** The issues of a group's projects, archived ones left out, as far as the caller may read them. */
  @Get('groups/:id/issues')
  @Requires('group:read')
  @AnswersList(V4IssueView)
  async ofGroup(
    @Caller() caller: User,
    @InGroup() group: GroupRef,
    @Query() query: V4ListIssuesDto,
  ): Promise<Page<V4IssueView>> {
    const filter = toListFilter(query, caller.id, 'all');
    return this.present(await this.lists.listOfGroup(group, caller, filter, query), 'group');
  }

  /** The issues of a project, as far as the caller may read them. */
  @Get('projects/:id/issues')
  @Requires('issue:read')
  @AnswersList(V4IssueView)
  async ofProject(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Query() query: V4ListIssuesDto,
  ): Promise<Page<V4IssueView>> {
    const filter = toListFilter(query, caller.id, 'all');
    return this.present(await this.lists.listOfProject(access, caller, filter, query, 'all'));
  }

  /** The issues of a milestone, the newest first, as far as the caller may read them. */
  @Get('projects/:id/milestones/:milestone_id/issues')
  @Requires('milestone:read')
  @RequiresEnabled('Issue', 'MergeRequest')
  @AnswersList(V4IssueView)
  async ofMilestone(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('milestone_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4IssueView>> {
    return this.present(await this.lists.listOfMilestone(access, caller, id, query));
  }

  private listEverywhere(
    caller: User,
    query: V4ListIssuesDto,
    filter: ReturnType<typeof toListFilter>,
  ): Promise<Page<IssueWithRelations>> {
    switch (toScope(query, 'created_by_me')) {
      case 'created_by_me':
        return this.lists.listOfAuthor(caller, filter, query, 'all');
      case 'assigned_to_me':
        return this.lists.listOfAssignee(caller, filter, query);
      case 'all':
        return this.lists.listAll(caller, filter, query);
    }
  }

  private present(page: Page<IssueWithRelations>, place?: ListPlace): Promise<Page<V4IssueView>> {
    return mapPageInParts(page, (issues) => this.presenter.presentAll(issues, place));
  }
}
