import { maskPassword } from '../model/hook-secrets.js';
import type { Hook } from '../model/hook.entity.js';

/** A hook of a project, without its token. */
export class ProjectHookView {
  id!: number;
  project_id!: number;
  /** With `***` for its password. */
  url!: string;
  push_events!: boolean;
  issues_events!: boolean;
  merge_requests_events!: boolean;
  tag_push_events!: boolean;
  note_events!: boolean;
  build_events!: boolean;
  pipeline_events!: boolean;
  /** Stored, but no event fires it: there are no wikis. */
  wiki_page_events!: boolean;
  enable_ssl_verification!: boolean;
  created_at!: Date;
}

/** @param projectId the project that the hook belongs to */
export function presentProjectHook(projectId: number, hook: Hook): ProjectHookView {
  return {
    id: hook.id,
    project_id: projectId,
    url: maskPassword(hook.url),
    push_events: hook.pushEvents,
    issues_events: hook.issuesEvents,
    merge_requests_events: hook.mergeRequestsEvents,
    tag_push_events: hook.tagPushEvents,
    note_events: hook.noteEvents,
    build_events: hook.buildEvents,
    pipeline_events: hook.pipelineEvents,
    wiki_page_events: hook.wikiPageEvents,
    enable_ssl_verification: hook.enableSslVerification,
    created_at: hook.createdAt,
  };
}
