import type { BranchFilterStrategy } from '../model/branch-filter.js';
import { BRANCH_FILTER_STRATEGIES } from '../model/branch-filter.js';
import { maskPassword } from '../model/hook-secrets.js';
import type { Hook } from '../model/hook.entity.js';
import { ApiProperty } from '../../../platform/http/index.js';

/** The name of a custom header or a URL variable. */
export class V4HookKeyView {
  key!: string;
}

/** What hooks of projects and of the instance share. */
export class V4HookSettingsView {
  id!: number;
  /** With `***` for its password, and the names of its variables for their values. */
  url!: string;
  name!: string | null;
  description!: string | null;
  created_at!: Date;
  push_events!: boolean;
  tag_push_events!: boolean;
  merge_requests_events!: boolean;
  repository_update_events!: boolean;
  enable_ssl_verification!: boolean;
  /** `disabled` after lasting failures, else `executable`. */
  alert_status!: string;
  /** Always null: a disabled hook stays so until it is changed or tested. */
  disabled_until!: Date | null;
  push_events_branch_filter!: string | null;
  @ApiProperty({ enum: BRANCH_FILTER_STRATEGIES })
  branch_filter_strategy!: BranchFilterStrategy;
  url_variables!: V4HookKeyView[];
  custom_headers!: V4HookKeyView[];
}

export function presentV4HookSettings(hook: Hook): V4HookSettingsView {
  return {
    id: hook.id,
    url: maskPassword(hook.url),
    name: hook.name,
    description: hook.description,
    created_at: hook.createdAt,
    push_events: hook.pushEvents,
    tag_push_events: hook.tagPushEvents,
    merge_requests_events: hook.mergeRequestsEvents,
    repository_update_events: hook.repositoryUpdateEvents,
    enable_ssl_verification: hook.enableSslVerification,
    alert_status: hook.disabledAt === null ? 'executable' : 'disabled',
    disabled_until: null,
    push_events_branch_filter: hook.pushEventsBranchFilter,
    branch_filter_strategy: hook.branchFilterStrategy,
    url_variables: hook.urlVariableNames.map((key) => ({ key })),
    custom_headers: hook.customHeaderNames.map((key) => ({ key })),
  };
}
