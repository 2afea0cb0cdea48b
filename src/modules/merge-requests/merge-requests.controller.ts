import { Controller, Get, Param, Query } from '@nestjs/common';
import { Answers, AnswersList, mapPage, type Page } from '../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../access/index.js';
import { RequiresEnabled } from '../issuables/index.js';
import { User } from '../users/index.js';
import { ListMergeRequestsDto, toListFilter } from './dto/list-merge-requests.dto.js';
import { MergeRequestListsService } from './lists/merge-request-lists.service.js';
import { MergeRequestAnswers } from './merge-request-answers.js';
import { MergeRequestFinder } from './merge-request-finder.js';
import { MergeRequestView } from './merge-request.view.js';

@Controller('projects/:id/merge_requests')
@RequiresEnabled('MergeRequest')
export class MergeRequestsController {
  constructor(
    private readonly lists: MergeRequestListsService,
    private readonly finder: MergeRequestFinder,
    private readonly answers: MergeRequestAnswers,
  ) {}

  /** The merge requests into a project. */
  @Get()
  @Requires('merge-request:list')
  @AnswersList(MergeRequestView)
  async list(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Query() query: ListMergeRequestsDto,
  ): Promise<Page<MergeRequestView>> {
    const page = await this.lists.ofProject(project, caller, toListFilter(query), query);
    return mapPage(page, (mergeRequest) => this.answers.of(mergeRequest));
  }

  /** One merge request; below reporter for its author and its assignee. */
  @Get(':merge_request_id')
  @Requires('merge-request:read')
  @Answers(MergeRequestView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return this.answers.checked(caller, await this.finder.read(access, caller, id));
  }
}
