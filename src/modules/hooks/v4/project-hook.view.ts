import type { Hook } from '../model/hook.entity.js';
import { maskPassword } from '../model/hook-secrets.js';

/** A hook of a project, without its token. */
export class V4ProjectHookView {
  id!: number;
  /** With `***` for its password. */
  url!: string;
  created_at!: Date;
  push_events!: boolean;
  tag_push_events!: boolean;
  merge_requests_events!: boolean;
  /** Always false. */
  repository_update_events!: boolean;
  enable_ssl_verification!: boolean;
  /** `disabled` after lasting failures, else `executable`. */
  alert_status!: string;
  /** Always null: a disabled hook stays so until it is changed or tested. */
  disabled_until!: Date | null;
  project_id!: number;
  issues_events!: boolean;
  /** Always null: events of confidential issues are not sent. */
  confidential_issues_events!: boolean | null;
  note_events!: boolean;
  /** Always null: events of confidential issues are not sent. */
  confidential_note_events!: boolean | null;
  pipeline_events!: boolean;
  /** Stored, but no event fires it: there are no wikis. */
  wiki_page_events!: boolean;
  job_events!: boolean;
  /** Always false. */
  deployment_events!: boolean;
  releases_events!: boolean;
  /** Always false. */
  emoji_events!: boolean;
  /** Always null: pushes to all branches are sent. */
  push_events_branch_filter!: string | null;
}

/** The answer to a test delivery. */
export class V4HookTestView {
  /** `201 Created`. */
  message!: string;
}

/** @param projectId the project that the hook belongs to */
export function presentV4ProjectHook(projectId: number, hook: Hook): V4ProjectHookView {
  return {
    id: hook.id,
    url: maskPassword(hook.url),
    created_at: hook.createdAt,
    push_events: hook.pushEvents,
    tag_push_events: hook.tagPushEvents,
    merge_requests_events: hook.mergeRequestsEvents,
    repository_update_events: false,
    enable_ssl_verification: hook.enableSslVerification,
    alert_status: hook.disabledAt === null ? 'executable' : 'disabled',
    disabled_until: null,
    project_id: projectId,
    issues_events: hook.issuesEvents,
    confidential_issues_events: null,
    note_events: hook.noteEvents,
    confidential_note_events: null,
    pipeline_events: hook.pipelineEvents,
    wiki_page_events: hook.wikiPageEvents,
    job_events: hook.buildEvents,
    deployment_events: false,
    releases_events: hook.releasesEvents,
    emoji_events: false,
    push_events_branch_filter: null,
  };
}
