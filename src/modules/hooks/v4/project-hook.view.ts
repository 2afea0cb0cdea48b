import type { Hook } from '../model/hook.entity.js';
import { presentV4HookSettings, V4HookSettingsView } from './hook-settings.view.js';

/** A hook of a project, without its secrets. */
export class V4ProjectHookView extends V4HookSettingsView {
  project_id!: number;
  issues_events!: boolean;
  confidential_issues_events!: boolean;
  note_events!: boolean;
  /** Null where it was never set. */
  confidential_note_events!: boolean | null;
  pipeline_events!: boolean;
  /** Stored, but no event fires it: there are no wikis. */
  wiki_page_events!: boolean;
  job_events!: boolean;
  /** Always false, like the next ones but for releases and emoji. */
  deployment_events!: boolean;
  feature_flag_events!: boolean;
  releases_events!: boolean;
  milestone_events!: boolean;
  emoji_events!: boolean;
  resource_access_token_events!: boolean;
}

/** The answer to a test delivery. */
export class V4HookTestView {
  /** `201 Created`. */
  message!: string;
}

/** @param projectId the project that the hook belongs to */
export function presentV4ProjectHook(projectId: number, hook: Hook): V4ProjectHookView {
  return {
    ...presentV4HookSettings(hook),
    project_id: projectId,
    issues_events: hook.issuesEvents,
    confidential_issues_events: hook.confidentialIssuesEvents ?? false,
    note_events: hook.noteEvents,
    confidential_note_events: hook.confidentialNoteEvents,
    pipeline_events: hook.pipelineEvents,
    wiki_page_events: hook.wikiPageEvents,
    job_events: hook.buildEvents,
    deployment_events: false,
    feature_flag_events: false,
    releases_events: hook.releasesEvents,
    milestone_events: false,
    emoji_events: hook.emojiEvents,
    resource_access_token_events: false,
  };
}
