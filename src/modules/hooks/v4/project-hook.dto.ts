import { BooleanParam, StringParam } from '../../../platform/http/index.js';
import type { HookChanges } from '../model/hook-secrets.js';
import type { Hook } from '../model/hook.entity.js';
import { toV4HookSettings, V4HookSettingsDto } from './hook-settings.dto.js';

/** The parameters that creating and changing a hook share. */
class V4ProjectHookSettingsDto extends V4HookSettingsDto {
  @BooleanParam({ description: 'Default of a new hook true, of the other kinds of event false.' })
  push_events?: boolean;

  @BooleanParam()
  tag_push_events?: boolean;

  @BooleanParam()
  issues_events?: boolean;

  @BooleanParam()
  confidential_issues_events?: boolean;

  @BooleanParam()
  merge_requests_events?: boolean;

  @BooleanParam()
  note_events?: boolean;

  @BooleanParam({ description: 'Null in a hook where it was never set.' })
  confidential_note_events?: boolean;

  @BooleanParam()
  job_events?: boolean;

  @BooleanParam()
  pipeline_events?: boolean;

  @BooleanParam()
  wiki_page_events?: boolean;

  @BooleanParam({ description: 'Creating, changing and deleting releases.' })
  releases_events?: boolean;

  @BooleanParam({ description: 'Emoji on issues, merge requests and notes.' })
  emoji_events?: boolean;
}

/** `POST /projects/:id/hooks`. */
export class V4CreateProjectHookDto extends V4ProjectHookSettingsDto {
  @StringParam({
    required: true,
    description: 'The http or https address that deliveries are sent to.',
  })
  url!: string;
}

/** `PUT /projects/:id/hooks/:hook_id`: absent parameters stay as they are. */
export class V4UpdateProjectHookDto extends V4ProjectHookSettingsDto {
  @StringParam({ blank: 'refused', description: 'Another server drops the token.' })
  url?: string;
}

/** @throws DomainError invalid hook setting */
export function toV4HookChanges(body: V4UpdateProjectHookDto, before?: Hook): HookChanges {
  return {
    ...toV4HookSettings(body, before),
    url: body.url,
    pushEvents: body.push_events,
    tagPushEvents: body.tag_push_events,
    issuesEvents: body.issues_events,
    confidentialIssuesEvents: body.confidential_issues_events,
    mergeRequestsEvents: body.merge_requests_events,
    noteEvents: body.note_events,
    confidentialNoteEvents: body.confidential_note_events,
    buildEvents: body.job_events,
    pipelineEvents: body.pipeline_events,
    wikiPageEvents: body.wiki_page_events,
    releasesEvents: body.releases_events,
    emojiEvents: body.emoji_events,
  };
}
