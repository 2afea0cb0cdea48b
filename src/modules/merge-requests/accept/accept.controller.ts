import { Body, Controller, Param, Post, Put } from '@nestjs/common';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { RequiresEnabled } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { EndWaiting } from '../build-success/end-waiting.js';
import { MergeRequestAnswers } from '../merge-request-answers.js';
import { MergeRequestView } from '../merge-request.view.js';
import { AcceptMergeRequest } from './accept-merge-request.js';
import { AcceptMergeRequestDto, toAcceptInput } from './dto/accept-merge-request.dto.js';

@Controller([
  'projects/:id/merge_requests/:merge_request_id',
  'projects/:id/merge_request/:merge_request_id',
])
@RequiresEnabled('MergeRequest')
export class AcceptController {
  constructor(
    private readonly accepting: AcceptMergeRequest,
    private readonly waiting: EndWaiting,
    private readonly answers: MergeRequestAnswers,
  ) {}

  /** Merges, now or when the build succeeds; for those who may push or merge to the target branch. */
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
    return this.answers.as(caller, await this.accepting.run(merger, id, toAcceptInput(body)));
  }

  /** Has it wait for its build no longer; for those who may accept it, and its author. */
  @Put('cancel_merge_when_build_succeeds')
  @Requires('merge-request:accept')
  @Answers(MergeRequestView)
  @MayAnswer(405, 406)
  async cancel(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
  ): Promise<MergeRequestView> {
    return this.answers.as(caller, await this.waiting.cancel({ user: caller, access }, id));
  }

  /** The same, as other clients ask for it. */
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
