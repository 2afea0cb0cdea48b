import { Get, Param, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { unauthenticated } from '../../../platform/errors/index.js';
import { AnswersList, PageQuery } from '../../../platform/http/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import { mapPageInParts, type Page } from '../../../platform/pagination/index.js';
import {
  Client,
  type GroupRef,
  InGroup,
  InProject,
  MaybeCaller,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { MilestonesService, NEWEST_FIRST, RequiresEnabled } from '../../issuables/index.js';
import { type ListReading, type ListScope, toScope } from '../../issuables/v4/index.js';
import { User } from '../../users/index.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import type { ProjectsOfList } from '../model/merge-request-list.sql.js';
import type { MergeRequestWithRelations } from '../model/merge-requests.repository.js';
import { toFilter, V4ListMergeRequestsDto } from './merge-request-list.dto.js';
import {
  V4MergeRequestPresenter,
  V4MergeRequestView,
  V4SimpleMergeRequestView,
} from './merge-request.view.js';

const PROJECTS: Readonly<Record<ListScope, ProjectsOfList>> = {
  created_by_me: 'author',
  assigned_to_me: 'assignee',
  all: 'all',
};

const EVERY_STATE = ['opened', 'reopened', 'closed', 'merged'] as const;

type ListedView = V4MergeRequestView | V4SimpleMergeRequestView;
type ListedPage = Page<ListedView>;

@V4Controller('', 'MergeRequestLists')
export class V4MergeRequestListsController {
  constructor(
    private readonly mergeRequests: MergeRequestsService,
    private readonly milestones: MilestonesService,
    private readonly presenter: V4MergeRequestPresenter,
  ) {}

  /** Merge requests of all projects that the caller sees, by default those that they created; without a credential with `scope=all`. */
  @Get('merge_requests')
  @Requires('issue:search')
  @AnswersList(V4MergeRequestView, { or: V4SimpleMergeRequestView })
  async everywhere(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @Query() query: V4ListMergeRequestsDto,
  ): Promise<ListedPage> {
    const scope = toScope(query, 'created_by_me');
    if (reader === null && scope !== 'all') throw unauthenticated();
    const filter = toFilter(query, reader?.id ?? null, 'created_by_me');
    const listReader = { reader, client };
    const page = await this.mergeRequests.listAcross(PROJECTS[scope], listReader, filter, query);
    return this.present(page, { reader, place: 'anywhere' }, query);
  }

  /** The merge requests of a group's projects, archived ones left out, as far as the caller may read them. */
  @Get('groups/:id/merge_requests')
  @Requires('group:browse')
  @AnswersList(V4MergeRequestView, { or: V4SimpleMergeRequestView })
  async ofGroup(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @InGroup() group: GroupRef,
    @Query() query: V4ListMergeRequestsDto,
  ): Promise<ListedPage> {
    const filter = toFilter(query, reader?.id ?? null, 'all');
    const listReader = { reader, client };
    const page = await this.mergeRequests.listAcross('group', listReader, filter, query, group);
    return this.present(page, { reader, place: 'group' }, query);
  }

  /** The merge requests into a project. */
  @Get('projects/:id/merge_requests')
  @Requires('merge-request:browse-all')
  @RequiresEnabled('MergeRequest')
  @AnswersList(V4MergeRequestView, { or: V4SimpleMergeRequestView })
  async ofProject(
    @MaybeCaller() caller: User | null,
    @InProject() project: ProjectRef,
    @Query() query: V4ListMergeRequestsDto,
  ): Promise<ListedPage> {
    const filter = toFilter(query, caller?.id ?? null, 'all');
    const page = await this.mergeRequests.list(project, caller, filter, query);
    return this.present(page, { reader: caller }, query);
  }

  /** The merge requests of a milestone, the newest first. */
  @Get('projects/:id/milestones/:milestone_id/merge_requests')
  @Requires('merge-request:browse-all')
  @RequiresEnabled('MergeRequest')
  @AnswersList(V4MergeRequestView)
  async ofMilestone(
    @MaybeCaller() caller: User | null,
    @InProject() project: ProjectRef,
    @Param('milestone_id') milestoneId: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4MergeRequestView>> {
    await this.milestones.read({ projectId: project.id }, milestoneId);
    const filter = { states: EVERY_STATE, milestoneId, order: NEWEST_FIRST };
    const page = await this.mergeRequests.list(project, caller, filter, query);
    return mapPageInParts(page, (requests) =>
      this.presenter.presentAll(requests, { reader: caller }),
    );
  }

  /** The merge requests of a group's milestone, the newest first, as far as the caller may read them. */
  @Get('groups/:id/milestones/:milestone_id/merge_requests')
  @Requires('group-milestone:browse')
  @AnswersList(V4MergeRequestView)
  async ofGroupMilestone(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @InGroup() group: GroupRef,
    @Param('milestone_id') milestoneId: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4MergeRequestView>> {
    await this.milestones.read({ groupId: group.id }, milestoneId);
    const filter = { states: EVERY_STATE, milestoneId, order: NEWEST_FIRST };
    const listReader = { reader, client };
    const page = await this.mergeRequests.listAcross('group', listReader, filter, query, group);
    return mapPageInParts(page, (requests) =>
      this.presenter.presentAll(requests, { reader, place: 'group' }),
    );
  }

  private present(
    page: Page<MergeRequestWithRelations>,
    reading: ListReading,
    { view }: V4ListMergeRequestsDto,
  ): Promise<ListedPage> {
    return mapPageInParts<MergeRequestWithRelations, ListedView>(page, (requests) =>
      view === 'simple'
        ? Promise.resolve(requests.map((request) => this.presenter.presentSimply(request)))
        : this.presenter.presentAll(requests, reading),
    );
  }
}
