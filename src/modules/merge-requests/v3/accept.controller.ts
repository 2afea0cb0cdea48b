import { Body, Param, Post, Put } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Urls } from '../../../platform/config/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../authorization/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { AcceptMergeRequestDto, toAcceptInput } from './merge-request.dto.js';
import { MergeRequestView, presentMergeRequest } from './merge-request.view.js';
import { AcceptService } from '../accept/accept.service.js';
import { AutomaticMergeService } from '../accept/automatic-merge.service.js';

@V3Controller('projects/:id/merge_requests/:merge_request_id', 'Accept')
@RequiresEnabled('MergeRequest')
export class AcceptController {
  constructor(
    private readonly accepting: AcceptService,
    private readonly automaticMerges: AutomaticMergeService,
    private readonly urls: Urls,
  ) {}

  /** Accepts a merge request, now or when the build succeeds; for users who may push or merge to the target branch. */
  @Put('merge')
  @Requires('merge-request:accept')
  @Answers(MergeRequestView)
  @MayAnswer(405, 406, 409)
  async accept(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Body() body: AcceptMergeRequestDto,
  ): Promise<MergeRequestView> {
    const merger = { user: caller, access };
    return presentMergeRequest(
      await this.accepting.accept(merger, id, toAcceptInput(body)),
      this.urls,
    );
  }

  /** Cancels a merge that waits for its build; for the author and users who may accept it. */
  @Put('cancel_merge_when_build_succeeds')
  @Requires('merge-request:accept')
  @Answers(MergeRequestView)
  @MayAnswer(405, 406)
  async cancel(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    const merger = { user: caller, access };
    return presentMergeRequest(await this.automaticMerges.cancel(merger, id), this.urls);
  }

  /** An alias of the `PUT` request. */
  @Post('cancel_merge_when_build_succeeds')
  @Requires('merge-request:accept')
  @Answers(MergeRequestView)
  @MayAnswer(405, 406)
  cancelByPost(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return this.cancel(caller, access, id);
  }
}
