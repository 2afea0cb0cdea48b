import { maskPassword } from '../hook-secrets.js';
import type { Hook } from '../hook.entity.js';
import type { ProjectHookView } from './project-hook.view.js';

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
