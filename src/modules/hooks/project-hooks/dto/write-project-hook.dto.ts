import { BooleanParam, StringParam } from '../../../../platform/http/index.js';
import type { HookInput } from '../../hook-values.js';

/**
 * `POST /projects/:id/hooks` and `PUT /projects/:id/hooks/:hook_id` (specification 4.5): what is not
 * given is as by default in a new hook, and stays in one that is there.
 */
export class WriteProjectHookDto {
  @StringParam({ required: true, description: 'http or https; where deliveries go.' })
  url!: string;

  @BooleanParam({ description: 'In a new hook true; all other kinds of event false.' })
  push_events?: boolean;

  @BooleanParam()
  issues_events?: boolean;

  @BooleanParam()
  merge_requests_events?: boolean;

  @BooleanParam()
  tag_push_events?: boolean;

  @BooleanParam()
  note_events?: boolean;

  @BooleanParam()
  build_events?: boolean;

  @BooleanParam()
  pipeline_events?: boolean;

  @BooleanParam({ aliases: ['wiki_page_events'] })
  wiki_events?: boolean;

  @BooleanParam({ description: 'In a new hook true.' })
  enable_ssl_verification?: boolean;

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 1_024,
    description: 'Sent with deliveries and used to sign them; never told.',
  })
  token?: string | null;
}

export function toHookInput(body: WriteProjectHookDto): HookInput {
  return {
    url: body.url,
    pushEvents: body.push_events,
    issuesEvents: body.issues_events,
    mergeRequestsEvents: body.merge_requests_events,
    tagPushEvents: body.tag_push_events,
    noteEvents: body.note_events,
    buildEvents: body.build_events,
    pipelineEvents: body.pipeline_events,
    wikiPageEvents: body.wiki_events,
    enableSslVerification: body.enable_ssl_verification,
    token: body.token,
  };
}
