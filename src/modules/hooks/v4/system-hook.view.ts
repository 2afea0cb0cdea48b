import type { Hook } from '../model/hook.entity.js';
import { maskPassword } from '../model/hook-secrets.js';

/** A hook of the instance, without its token. */
export class V4SystemHookView {
  id!: number;
  /** With `***` for its password. */
  url!: string;
  created_at!: Date;
  push_events!: boolean;
  tag_push_events!: boolean;
  /** Always false. */
  merge_requests_events!: boolean;
  /** Always false. */
  repository_update_events!: boolean;
  enable_ssl_verification!: boolean;
  /** `disabled` after lasting failures, else `executable`. */
  alert_status!: string;
  /** Always null: a disabled hook stays so until it is tested. */
  disabled_until!: Date | null;
}

export const presentV4SystemHook = (hook: Hook): V4SystemHookView => ({
  id: hook.id,
  url: maskPassword(hook.url),
  created_at: hook.createdAt,
  push_events: hook.pushEvents,
  tag_push_events: hook.tagPushEvents,
  merge_requests_events: false,
  repository_update_events: false,
  enable_ssl_verification: hook.enableSslVerification,
  alert_status: hook.disabledAt === null ? 'executable' : 'disabled',
  disabled_until: null,
});
