/** What a hook can be told of, with the `X-Gitlab-Event` of project hooks (open points 7.1). */
export const HOOK_KINDS = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issue: 'Issue Hook',
  note: 'Note Hook',
  merge_request: 'Merge Request Hook',
  build: 'Build Hook',
  pipeline: 'Pipeline Hook',
  wiki_page: 'Wiki Page Hook',
} as const;

export type ProjectHookKind = keyof typeof HOOK_KINDS;

export const PROJECT_HOOK_KINDS = Object.keys(HOOK_KINDS) as ProjectHookKind[];

/** Of system hooks: pushes for those that want them, everything else as `system` for all of them. */
export const SYSTEM_HOOK_KINDS = ['push', 'tag_push', 'system'] as const;

export type SystemHookKind = (typeof SYSTEM_HOOK_KINDS)[number];

export type HookKind = ProjectHookKind | SystemHookKind;
