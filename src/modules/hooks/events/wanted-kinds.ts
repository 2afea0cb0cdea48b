import type { HookKind } from '../hook-kinds.js';

/** By which column of its row a hook wants to be told of something; `true` for what none can refuse. */
export const WANTS: Readonly<Record<HookKind, string>> = {
  push: 'push_events',
  tag_push: 'tag_push_events',
  issue: 'issues_events',
  note: 'note_events',
  merge_request: 'merge_requests_events',
  build: 'build_events',
  pipeline: 'pipeline_events',
  wiki_page: 'wiki_page_events',
  system: 'true',
};
