import { Get, Param } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers } from '../../../platform/http/index.js';
import {
  Access,
  Caller,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { IssuableKinds, RequiresEnabled } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import {
  NO_APPROVAL_STATE,
  NO_PROJECT_APPROVALS,
  presentApprovals,
  V4ApprovalStateView,
  V4ApprovalsView,
  V4ProjectApprovalsView,
} from './approvals.view.js';
import { V4MergeRequestPresenter, type V4MergeRequestView } from './merge-request.view.js';

/** Approvals, of which merge requests need none: clients ask before they merge. */
@V4Controller('projects/:id', 'Approvals')
@RequiresEnabled('MergeRequest')
export class V4ApprovalsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly mergeRequests: MergeRequestsService,
    private readonly presenter: V4MergeRequestPresenter,
  ) {}

  /** How the project has its merge requests approved. */
  @Get('approvals')
  @Requires('merge-request:list')
  @Answers(V4ProjectApprovalsView)
  readProject(): V4ProjectApprovalsView {
    return NO_PROJECT_APPROVALS;
  }

  /** The approvals of a merge request. */
  @Get('merge_requests/:merge_request_iid/approvals')
  @Requires('merge-request:browse')
  @Answers(V4ApprovalsView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<V4ApprovalsView> {
    const request = await this.mergeRequests.read(access, caller, { iid });
    const [view] = await this.presenter.presentAll([request], { reader: caller });
    return presentApprovals(view as V4MergeRequestView);
  }

  /** The approval rules of a merge request. */
  @Get('merge_requests/:merge_request_iid/approval_state')
  @Requires('merge-request:read')
  @Answers(V4ApprovalStateView)
  async readState(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<V4ApprovalStateView> {
    await this.kinds.readByNumber('MergeRequest', access, caller, iid);
    return NO_APPROVAL_STATE;
  }
}
