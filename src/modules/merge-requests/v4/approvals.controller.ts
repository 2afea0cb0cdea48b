import { Body, Get, Param, Post } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AtLeastOneOf,
  BooleanParam,
  IntegerParam,
  MayAnswer,
  StringParam,
} from '../../../platform/http/index.js';
import {
  Access,
  Caller,
  InProject,
  MaybeCaller,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../authorization/index.js';
import { IssuableKinds, RequiresEnabled } from '../../issuables/index.js';
import { MAX_REQUIRED_APPROVALS, ProjectsService } from '../../projects/index.js';
import { User } from '../../users/index.js';
import { V4UserPresenter } from '../../users/v4/index.js';
import { ApprovalsService } from '../accept/approvals.service.js';
import { MergeRequestsService } from '../merge-requests.service.js';
import {
  NO_APPROVAL_STATE,
  presentApprovals,
  presentProjectApprovals,
  V4ApprovalStateView,
  V4ApprovalsView,
  V4ProjectApprovalsView,
} from './approvals.view.js';
import { V4MergeRequestPresenter, type V4MergeRequestView } from './merge-request.view.js';

/** `POST /projects/:id/merge_requests/:merge_request_iid/approve`. */
class V4ApproveDto {
  @StringParam({
    blank: 'absent',
    description: 'The full SHA that the head of the source branch must have.',
  })
  sha?: string;
}

/** `POST /projects/:id/approvals`. */
@AtLeastOneOf('approvals_before_merge', 'reset_approvals_on_push')
class V4ProjectApprovalsDto {
  @IntegerParam({
    min: 0,
    max: MAX_REQUIRED_APPROVALS,
    description: 'How many approvals a merge request needs to be merged, by either version.',
  })
  approvals_before_merge?: number;

  @BooleanParam({
    description:
      'Whether other commits, or another target branch, end the approvals of a merge request.',
  })
  reset_approvals_on_push?: boolean;
}

/** How projects have their merge requests approved. */
@V4Controller('projects/:id/approvals', 'ProjectApprovals')
@RequiresEnabled('MergeRequest')
export class V4ProjectApprovalsController {
  constructor(private readonly projects: ProjectsService) {}

  /** How the project has its merge requests approved. */
  @Get()
  @Requires('merge-request:list')
  @Answers(V4ProjectApprovalsView)
  async read(
    @Caller() caller: User,
    @InProject() { id }: ProjectRef,
  ): Promise<V4ProjectApprovalsView> {
    return presentProjectApprovals((await this.projects.read(id, { reader: caller })).project);
  }

  /** Changes how the project has its merge requests approved. */
  @Post()
  @Requires('project:edit')
  @Answers(V4ProjectApprovalsView)
  async change(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body()
    { approvals_before_merge: required, reset_approvals_on_push: resets }: V4ProjectApprovalsDto,
  ): Promise<V4ProjectApprovalsView> {
    const switches = {
      ...(required === undefined ? {} : { approvalsBeforeMerge: required }),
      ...(resets === undefined ? {} : { resetApprovalsOnPush: resets }),
    };
    const { project } = await this.projects.update(caller, access, { switches });
    return presentProjectApprovals(project);
  }
}

/** Approvals of merge requests. */
@V4Controller('projects/:id/merge_requests/:merge_request_iid', 'Approvals')
@RequiresEnabled('MergeRequest')
export class V4ApprovalsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly mergeRequests: MergeRequestsService,
    private readonly approvals: ApprovalsService,
    private readonly presenter: V4MergeRequestPresenter,
    private readonly users: V4UserPresenter,
  ) {}

  /** The approvals of a merge request. */
  @Get('approvals')
  @Requires('merge-request:browse')
  @Answers(V4ApprovalsView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<V4ApprovalsView> {
    const request = await this.mergeRequests.read(access, caller, { iid });
    const [view] = await this.presenter.presentAll([request], { reader: caller });
    const state = await this.approvals.findState(request.issuable, access, caller);
    const approvers = state.approvers.map((user) => this.users.basic(user));
    return presentApprovals(view as V4MergeRequestView, state, approvers);
  }

  /** The approval rules of a merge request. */
  @Get('approval_state')
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

  /** Approves a merge request; for developers who are not its author. */
  @Post('approve')
  @Requires('merge-request:read')
  @Answers(V4ApprovalsView)
  @MayAnswer(401, 409)
  async approve(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Body() { sha }: V4ApproveDto,
  ): Promise<V4ApprovalsView> {
    await this.approvals.approve({ user: caller, access }, await this.findId(access, iid), sha);
    return this.read(caller, access, iid);
  }

  /** Withdraws the caller's approval. */
  @Post('unapprove')
  @Requires('merge-request:read')
  @Answers(V4ApprovalsView)
  async withdraw(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<V4ApprovalsView> {
    await this.approvals.withdraw({ user: caller, access }, await this.findId(access, iid));
    return this.read(caller, access, iid);
  }

  private async findId({ project }: ProjectAccess, iid: number): Promise<number> {
    const number = { projectId: project.id, iid };
    return (await this.kinds.findByNumber('MergeRequest', number)).id;
  }
}
