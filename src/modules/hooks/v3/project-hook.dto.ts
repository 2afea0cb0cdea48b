import { BooleanParam, EnumParam, StringParam } from '../../../platform/http/index.js';
import type { HookInput } from '../model/hook-secrets.js';
import type { SampleKind } from '../model/hook.entity.js';

/**
 * `POST /projects/:id/hooks` and `PUT /projects/:id/hooks/:hook_id`: absent parameters have their defaults
 * in a new hook, and stay as they are in an existing one.
 */
export class WriteProjectHookDto {
  @StringParam({
    required: true,
    description: 'The http or https address that deliveries are sent to.',
  })
  url!: string;

  @BooleanParam({ description: 'Default of a new hook true, of the other kinds of event false.' })
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

/** The kinds of event that version 3 knows, and that a test can send. */
const TESTED_KINDS = [
  'push',
  'tag_push',
  'issue',
  'note',
  'merge_request',
  'build',
  'pipeline',
] as const satisfies readonly SampleKind[];

/** `POST /projects/:id/hooks/:hook_id/test` */
export class TestHookDto {
  @EnumParam(TESTED_KINDS, {
    default: 'push',
    description: 'What is sent: the newest of its kind in the project, as if it had just happened.',
  })
  event?: (typeof TESTED_KINDS)[number];
}
