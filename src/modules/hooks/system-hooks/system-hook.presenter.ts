import { maskPassword } from '../hook-secrets.js';
import type { Hook } from '../hook.entity.js';
import type { SampleEventView, SystemHookView } from './system-hook.view.js';

export function presentSystemHook(hook: Hook): SystemHookView {
  return {
    id: hook.id,
    url: maskPassword(hook.url),
    created_at: hook.createdAt,
    push_events: hook.pushEvents,
    tag_push_events: hook.tagPushEvents,
    enable_ssl_verification: hook.enableSslVerification,
  };
}

/** The payload of test deliveries to system hooks: the creation of a project that does not exist. */
export const SAMPLE_EVENT: SampleEventView = {
  event_name: 'project_create',
  created_at: '2017-01-01T00:00:00.000Z',
  updated_at: '2017-01-01T00:00:00.000Z',
  name: 'Sample',
  path: 'sample',
  path_with_namespace: 'someone/sample',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'someone@example.com',
  project_visibility: 'private',
};
