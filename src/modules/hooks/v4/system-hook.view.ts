import type { Hook } from '../model/hook.entity.js';
import { presentV4HookSettings, V4HookSettingsView } from './hook-settings.view.js';

/** A hook of the instance, without its secrets. */
export class V4SystemHookView extends V4HookSettingsView {}

/** The event that a test of a hook of the instance sends. */
export class V4SampleEventView {
  event_name!: string;
  name!: string;
  path!: string;
  project_id!: number;
  owner_name!: string;
  owner_email!: string;
}

export const presentV4SystemHook = (hook: Hook): V4SystemHookView => presentV4HookSettings(hook);

/** The creation of a project that does not exist. */
export const V4_SAMPLE_EVENT: V4SampleEventView = {
  event_name: 'project_create',
  name: 'Sample',
  path: 'sample',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'someone@example.com',
};
