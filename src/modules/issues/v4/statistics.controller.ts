import { Get, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { unauthenticated } from '../../../platform/errors/index.js';
import { Answers } from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import {
  Access,
  Client,
  type GroupRef,
  InGroup,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { type ListScope, toScope } from '../../issuables/v4/index.js';
import { User } from '../../users/index.js';
import type { ListFilter } from '../lists/issue-list.sql.js';
import { IssueListsService } from '../lists/issue-lists.service.js';
import { toListFilter, V4ListIssuesDto } from './issue.dto.js';
import { presentStatistics, V4IssuesStatisticsView } from './statistics.view.js';

const PROJECTS = { created_by_me: 'author', assigned_to_me: 'assignee', all: 'all' } as const;

/** Numbers of issues, with the filters of their lists. */
@V4Controller('', 'IssueStatistics')
export class V4IssueStatisticsController {
  constructor(private readonly lists: IssueListsService) {}

  /** Of all projects that the caller sees, by default the issues that they created; without a credential with `scope=all`. */
  @Get('issues_statistics')
  @Requires('issue:search')
  @Answers(V4IssuesStatisticsView)
  async everywhere(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @Query() query: V4ListIssuesDto,
  ): Promise<V4IssuesStatisticsView> {
    const scope = toScope(query, 'created_by_me');
    if (reader === null && scope !== 'all') throw unauthenticated();
    const filter = toFilter(query, reader, 'created_by_me');
    return presentStatistics(
      await this.lists.countAcross(PROJECTS[scope], { reader, client }, filter),
    );
  }

  /** Of a group's projects, archived ones left out. */
  @Get('groups/:id/issues_statistics')
  @Requires('group:browse')
  @Answers(V4IssuesStatisticsView)
  async ofGroup(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @InGroup() group: GroupRef,
    @Query() query: V4ListIssuesDto,
  ): Promise<V4IssuesStatisticsView> {
    const filter = toFilter(query, reader, 'all');
    return presentStatistics(await this.lists.countOfGroup(group, { reader, client }, filter));
  }

  /** Of a project. */
  @Get('projects/:id/issues_statistics')
  @Requires('issue:browse')
  @Answers(V4IssuesStatisticsView)
  async ofProject(
    @MaybeCaller() reader: User | null,
    @Access() access: ProjectAccess,
    @Query() query: V4ListIssuesDto,
  ): Promise<V4IssuesStatisticsView> {
    const filter = toFilter(query, reader, 'all');
    return presentStatistics(await this.lists.countOfProject(access, reader, filter));
  }
}

/** All states are counted, whatever `state` says. */
const toFilter = (
  query: V4ListIssuesDto,
  reader: User | null,
  otherwise: ListScope,
): ListFilter => ({
  ...toListFilter(query, reader?.id ?? null, otherwise),
  states: ['opened', 'closed'],
});
