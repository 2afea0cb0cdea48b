/**
 * The kinds of event that hooks of projects can subscribe to: the column of `hooks` that
 * subscribes to them, and the `X-Gitlab-Event` of their deliveries. See docs/reference/hooks.md#the-request.
 */
export const HOOK_KINDS = {
  push: { column: 'push_events', header: 'Push Hook' },
  tag_push: { column: 'tag_push_events', header: 'Tag Push Hook' },
  issue: { column: 'issues_events', header: 'Issue Hook' },
  note: { column: 'note_events', header: 'Note Hook' },
  merge_request: { column: 'merge_requests_events', header: 'Merge Request Hook' },
  build: { column: 'build_events', header: 'Build Hook' },
  pipeline: { column: 'pipeline_events', header: 'Pipeline Hook' },
  wiki_page: { column: 'wiki_page_events', header: 'Wiki Page Hook' },
} as const;

export type ProjectHookKind = keyof typeof HOOK_KINDS;

export const PROJECT_HOOK_KINDS = Object.keys(HOOK_KINDS) as ProjectHookKind[];

/** The kinds of system hooks: pushes for those that subscribe to them, all other events as `system`. */
export const SYSTEM_HOOK_KINDS = ['push', 'tag_push', 'system'] as const;

export type SystemHookKind = (typeof SYSTEM_HOOK_KINDS)[number];

export type HookKind = ProjectHookKind | SystemHookKind;
