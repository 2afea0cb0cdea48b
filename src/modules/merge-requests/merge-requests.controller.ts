import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { Answers, AnswersList } from '../../platform/http/index.js';
import { mapPage, type Page } from '../../platform/pages/index.js';
import { Urls } from '../../platform/urls/index.js';
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
import {
  CreateMergeRequestDto,
  ListMergeRequestsDto,
  toCreateMergeRequestInput,
  toFilter,
  toUpdateMergeRequestInput,
  UpdateMergeRequestDto,
} from './presentation/merge-request.dto.js';
import { MergeRequestView, presentMergeRequest } from './presentation/merge-request.view.js';
import { MergeRequestsService } from './merge-requests.service.js';

@Controller('projects/:id/merge_requests')
@RequiresEnabled('MergeRequest')
export class MergeRequestsController {
  constructor(
    private readonly mergeRequests: MergeRequestsService,
    private readonly urls: Urls,
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
    const page = await this.mergeRequests.list(project, caller, toFilter(query), query);
    return mapPage(page, (mergeRequest) => presentMergeRequest(mergeRequest, this.urls));
  }

  /** One merge request; below level reporter for its author and assignee only. */
  @Get(':merge_request_id')
  @Requires('merge-request:read')
  @Answers(MergeRequestView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return presentMergeRequest(await this.mergeRequests.read(access, caller, id), this.urls);
  }
}

/** The name stays because the operation ids of the interface document contain it. */
@Controller('projects/:id/merge_requests')
@RequiresEnabled('MergeRequest')
export class MergeRequestWritesController {
  constructor(
    private readonly mergeRequests: MergeRequestsService,
    private readonly urls: Urls,
  ) {}

  /** Opens a merge request from a branch of the project, into the project or one that it was forked from. */
  @Post()
  @Requires('merge-request:create')
  @Answers(MergeRequestView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateMergeRequestDto,
  ): Promise<MergeRequestView> {
    const input = toCreateMergeRequestInput(body);
    return presentMergeRequest(await this.mergeRequests.create(access, caller, input), this.urls);
  }

  /** Updates, closes or reopens a merge request. Fields that the caller may not change are ignored. */
  @Put(':merge_request_id')
  @Requires('merge-request:edit')
  @Answers(MergeRequestView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Body() body: UpdateMergeRequestDto,
  ): Promise<MergeRequestView> {
    const input = toUpdateMergeRequestInput(body);
    return presentMergeRequest(
      await this.mergeRequests.update(access, caller, id, input),
      this.urls,
    );
  }

  /** Deletes a merge request and returns it; for administrators and project owners. */
  @Delete(':merge_request_id')
  @Requires('merge-request:delete')
  @Answers(MergeRequestView)
  async remove(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return presentMergeRequest(await this.mergeRequests.delete(project, caller, id), this.urls);
  }
}
