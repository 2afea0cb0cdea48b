import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { unauthenticated } from '../../../platform/errors/index.js';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import { mapPageInParts, type Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Client,
  type GroupRef,
  InGroup,
  type ListReader,
  MaybeCaller,
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

  /** Issues of all projects that the caller sees, by default those that they created; without a credential with `scope=all`. */
  @Get('issues')
  @Requires('issue:search')
  @AnswersList(V4IssueView)
  async everywhere(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @Query() query: V4ListIssuesDto,
  ): Promise<Page<V4IssueView>> {
    const filter = toListFilter(query, reader?.id ?? null, 'created_by_me');
    const issues = await this.listEverywhere({ reader, client }, query, filter);
    return this.present(issues, 'anywhere');
  }

  /** The issues of a group's projects, archived ones left out, as far as the caller may read them. */
  @Get('groups/:id/issues')
  @Requires('group:browse')
  @AnswersList(V4IssueView)
  async ofGroup(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @InGroup() group: GroupRef,
    @Query() query: V4ListIssuesDto,
  ): Promise<Page<V4IssueView>> {
    const filter = toListFilter(query, reader?.id ?? null, 'all');
    const issues = await this.lists.listOfGroup(group, { reader, client }, filter, query);
    return this.present(issues, 'group');
  }

  /** The issues of a project, as far as the caller may read them. */
  @Get('projects/:id/issues')
  @Requires('issue:browse')
  @AnswersList(V4IssueView)
  async ofProject(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Query() query: V4ListIssuesDto,
  ): Promise<Page<V4IssueView>> {
    const filter = toListFilter(query, caller?.id ?? null, 'all');
    return this.present(await this.lists.listOfProject(access, caller, filter, query, 'all'));
  }

  /** The issues of a milestone, the newest first, as far as the caller may read them. */
  @Get('projects/:id/milestones/:milestone_id/issues')
  @Requires('milestone:browse')
  @RequiresEnabled('Issue', 'MergeRequest')
  @AnswersList(V4IssueView)
  async ofMilestone(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('milestone_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4IssueView>> {
    return this.present(await this.lists.listOfMilestone(access, caller, id, query));
  }

  /** The issues of a group's milestone, the newest first, as far as the caller may read them. */
  @Get('groups/:id/milestones/:milestone_id/issues')
  @Requires('group-milestone:browse')
  @AnswersList(V4IssueView)
  async ofGroupMilestone(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @InGroup() group: GroupRef,
    @Param('milestone_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4IssueView>> {
    const listReader = { reader, client };
    return this.present(
      await this.lists.listOfGroupMilestone(group, listReader, id, query),
      'group',
    );
  }

  private listEverywhere(
    { reader, client }: ListReader,
    query: V4ListIssuesDto,
    filter: ReturnType<typeof toListFilter>,
  ): Promise<Page<IssueWithRelations>> {
    const scope = toScope(query, 'created_by_me');
    if (scope === 'all') return this.lists.listAll({ reader, client }, filter, query);
    if (reader === null) throw unauthenticated();
    return scope === 'assigned_to_me'
      ? this.lists.listOfAssignee(reader, filter, query)
      : this.lists.listOfAuthor(reader, filter, query, 'all');
  }

  private present(page: Page<IssueWithRelations>, place?: ListPlace): Promise<Page<V4IssueView>> {
    return mapPageInParts(page, (issues) => this.presenter.presentAll(issues, { place }));
  }
}
