import { Body, Controller, Delete, Param, Post, Put } from '@nestjs/common';
import { Answers } from '../../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../access/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import {
  CreateMergeRequestDto,
  toCreateMergeRequestInput,
} from '../dto/create-merge-request.dto.js';
import {
  toUpdateMergeRequestInput,
  UpdateMergeRequestDto,
} from '../dto/update-merge-request.dto.js';
import { MergeRequestAnswers } from '../merge-request-answers.js';
import { MergeRequestView } from '../merge-request.view.js';
import { CreateMergeRequest } from './create-merge-request.js';
import { DeleteMergeRequest } from './delete-merge-request.js';
import { UpdateMergeRequest } from './update-merge-request.js';

@Controller('projects/:id/merge_requests')
@RequiresEnabled('MergeRequest')
export class MergeRequestWritesController {
  constructor(
    private readonly answers: MergeRequestAnswers,
    private readonly creation: CreateMergeRequest,
    private readonly changes: UpdateMergeRequest,
    private readonly deletion: DeleteMergeRequest,
  ) {}

  /** Opens a merge request from a branch of the project, into it or into one that it was forked from. */
  @Post()
  @Requires('merge-request:create')
  @Answers(MergeRequestView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: CreateMergeRequestDto,
  ): Promise<MergeRequestView> {
    const input = toCreateMergeRequestInput(body);
    return this.answers.of(await this.creation.run(access, caller, input));
  }

  /** Changes, closes or reopens a merge request, as far as the caller may. */
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
    return this.answers.as(caller, await this.changes.run(access, caller, id, input));
  }

  /** Deletes a merge request and answers it as it was; for administrators and project owners. */
  @Delete(':merge_request_id')
  @Requires('merge-request:delete')
  @Answers(MergeRequestView)
  async remove(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return this.answers.of(await this.deletion.run(project, caller, id));
  }
}
