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

/** Of system hooks: pushes for those that want them, everything else as `system` for all of them. */
export type SystemHookKind = 'push' | 'tag_push' | 'system';

export type HookKind = ProjectHookKind | SystemHookKind;
