import { maskPassword } from '../model/hook-secrets.js';
import type { Hook } from '../model/hook.entity.js';

/** A hook of the instance, without its token. */
export class SystemHookView {
  id!: number;
  /** With `***` for its password. */
  url!: string;
  created_at!: Date;
  push_events!: boolean;
  tag_push_events!: boolean;
  enable_ssl_verification!: boolean;
}

/** The payload of `project_create`, as system hooks get it. */
export class SampleEventView {
  event_name!: string;
  created_at!: string;
  updated_at!: string;
  name!: string;
  path!: string;
  path_with_namespace!: string;
  project_id!: number;
  owner_name!: string;
  owner_email!: string;
  project_visibility!: string;
}

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
