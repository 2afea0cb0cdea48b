import { withoutPassword } from '../hook-address.js';
import type { Hook } from '../hook.entity.js';
import type { SystemHookView } from './system-hook.view.js';

export function presentSystemHook(hook: Hook): SystemHookView {
  return {
    id: hook.id,
    url: withoutPassword(hook.url),
    created_at: hook.createdAt,
    push_events: hook.pushEvents,
    tag_push_events: hook.tagPushEvents,
    enable_ssl_verification: hook.enableSslVerification,
  };
}
