import { BooleanParam, StringParam } from '../../../platform/http/index.js';
import type { HookChanges } from '../model/hook-secrets.js';

/** The parameters that creating and changing a hook share. */
class V4HookSettingsDto {
  @BooleanParam({ description: 'Default of a new hook true, of the other kinds of event false.' })
  push_events?: boolean;

  @BooleanParam()
  tag_push_events?: boolean;

  @BooleanParam()
  issues_events?: boolean;

  @BooleanParam()
  merge_requests_events?: boolean;

  @BooleanParam()
  note_events?: boolean;

  @BooleanParam()
  job_events?: boolean;

  @BooleanParam()
  pipeline_events?: boolean;

  @BooleanParam()
  wiki_page_events?: boolean;

  @BooleanParam({ description: 'Creating, changing and deleting releases.' })
  releases_events?: boolean;

  @BooleanParam({ description: 'Default of a new hook true.' })
  enable_ssl_verification?: boolean;

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 1_024,
    description: 'Sent with deliveries and used to sign them; never returned.',
  })
  token?: string | null;
}

/** `POST /projects/:id/hooks`. */
export class V4CreateProjectHookDto extends V4HookSettingsDto {
  @StringParam({
    required: true,
    description: 'The http or https address that deliveries are sent to.',
  })
  url!: string;
}

/** `PUT /projects/:id/hooks/:hook_id`: absent parameters stay as they are. */
export class V4UpdateProjectHookDto extends V4HookSettingsDto {
  @StringParam({ blank: 'refused', description: 'Another server drops the token.' })
  url?: string;
}

export function toV4HookChanges(body: V4UpdateProjectHookDto): HookChanges {
  return {
    url: body.url,
    pushEvents: body.push_events,
    tagPushEvents: body.tag_push_events,
    issuesEvents: body.issues_events,
    mergeRequestsEvents: body.merge_requests_events,
    noteEvents: body.note_events,
    buildEvents: body.job_events,
    pipelineEvents: body.pipeline_events,
    wikiPageEvents: body.wiki_page_events,
    releasesEvents: body.releases_events,
    enableSslVerification: body.enable_ssl_verification,
    token: body.token,
  };
}
