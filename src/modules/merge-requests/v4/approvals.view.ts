import { V4UserBasicView } from '../../users/v4/index.js';
import type { Project } from '../../projects/index.js';
import type { ApprovalState } from '../accept/approvals.service.js';
import type { V4MergeRequestView } from './merge-request.view.js';

/** An approval of a merge request. */
export class V4ApprovalView {
  user!: V4UserBasicView;
}

/** Who has approved a merge request, and what it lacks. */
export class V4ApprovalsView {
  id!: number;
  iid!: number;
  project_id!: number;
  title!: string;
  description!: string | null;
  /** `opened`, `closed` or `merged`. */
  state!: string;
  created_at!: Date;
  updated_at!: Date;
  /** `unchecked`, `can_be_merged` or `cannot_be_merged`. */
  merge_status!: string;
  /** Whether it has all approvals that the project requires, and one at least. */
  approved!: boolean;
  /** How many the project requires. */
  approvals_required!: number;
  /** How many it lacks. */
  approvals_left!: number;
  /** Always false. */
  require_password_to_approve!: boolean;
  /** In the order of their approvals. */
  approved_by!: V4ApprovalView[];
  /** Always empty. */
  suggested_approvers!: V4UserBasicView[];
  /** Always empty. */
  approvers!: V4UserBasicView[];
  /** Always empty. */
  approver_groups!: object[];
  /** Whether the caller has approved it. */
  user_has_approved!: boolean;
  /** Whether the caller may approve it now. */
  user_can_approve!: boolean;
  /** Always empty. */
  approval_rules_left!: object[];
  /** Always false. */
  has_approval_rules!: boolean;
  /** Always false. */
  merge_request_approvers_available!: boolean;
  /** Always false. */
  multiple_approval_rules_available!: boolean;
  /** Always empty. */
  invalid_approvers_rules!: object[];
}

/** The approval rules of a merge request: none. */
export class V4ApprovalStateView {
  /** Always false. */
  approval_rules_overwritten!: boolean;
  /** Always empty. */
  rules!: object[];
}

/** How a project has its merge requests approved. */
export class V4ProjectApprovalsView {
  /** Always empty. */
  approvers!: V4UserBasicView[];
  /** Always empty. */
  approver_groups!: object[];
  /** How many approvals a merge request needs to be merged. */
  approvals_before_merge!: number;
  /** Whether other commits, or another target branch, end the approvals of a merge request. */
  reset_approvals_on_push!: boolean;
  /** Always false. */
  selective_code_owner_removals!: boolean;
  /** Always false. */
  disable_overriding_approvers_per_merge_request!: boolean;
  /** Always false. */
  merge_requests_author_approval!: boolean;
  /** Always false. */
  merge_requests_disable_committers_approval!: boolean;
  /** Always false. */
  require_password_to_approve!: boolean;
  /** Always false. */
  require_reauthentication_to_approve!: boolean;
}

/** @param approvers the users of `state`, presented */
export function presentApprovals(
  request: V4MergeRequestView,
  { required, hasApproved, mayApprove }: ApprovalState,
  approvers: readonly V4UserBasicView[],
): V4ApprovalsView {
  return {
    id: request.id,
    iid: request.iid,
    project_id: request.project_id,
    title: request.title,
    description: request.description,
    state: request.state,
    created_at: request.created_at,
    updated_at: request.updated_at,
    merge_status: request.merge_status,
    approved: approvers.length >= Math.max(required, 1),
    approvals_required: required,
    approvals_left: Math.max(required - approvers.length, 0),
    require_password_to_approve: false,
    approved_by: approvers.map((user) => ({ user })),
    suggested_approvers: [],
    approvers: [],
    approver_groups: [],
    user_has_approved: hasApproved,
    user_can_approve: mayApprove,
    approval_rules_left: [],
    has_approval_rules: false,
    merge_request_approvers_available: false,
    multiple_approval_rules_available: false,
    invalid_approvers_rules: [],
  };
}

export const NO_APPROVAL_STATE: V4ApprovalStateView = {
  approval_rules_overwritten: false,
  rules: [],
};

export const presentProjectApprovals = ({
  approvalsBeforeMerge,
  resetApprovalsOnPush,
}: Pick<Project, 'approvalsBeforeMerge' | 'resetApprovalsOnPush'>): V4ProjectApprovalsView => ({
  approvers: [],
  approver_groups: [],
  approvals_before_merge: approvalsBeforeMerge,
  reset_approvals_on_push: resetApprovalsOnPush,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
  require_reauthentication_to_approve: false,
});
