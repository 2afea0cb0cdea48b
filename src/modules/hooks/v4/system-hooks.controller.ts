import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  BooleanParam,
  FixedStatus,
  MayAnswer,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { CustomHeadersService } from '../model/custom-headers.service.js';
import type { HookChanges } from '../model/hook-secrets.js';
import type { Hook } from '../model/hook.entity.js';
import { SystemHooksService } from '../system-hooks/system-hooks.service.js';
import { toV4HookSettings, V4CustomHeaderDto, V4HookSettingsDto } from './hook-settings.dto.js';
import {
  presentV4SystemHook,
  V4_SAMPLE_EVENT,
  V4SampleEventView,
  V4SystemHookView,
} from './system-hook.view.js';

/** The parameters that creating and changing a hook share. */
class V4SystemHookSettingsDto extends V4HookSettingsDto {
  @BooleanParam({ description: 'Default of a new hook false, as of the next two.' })
  push_events?: boolean;

  @BooleanParam()
  tag_push_events?: boolean;

  @BooleanParam()
  merge_requests_events?: boolean;

  @BooleanParam({ description: 'One event for each push. Default of a new hook true.' })
  repository_update_events?: boolean;
}

/** `POST /hooks`. */
class V4CreateSystemHookDto extends V4SystemHookSettingsDto {
  @StringParam({
    required: true,
    description: 'The http or https address that deliveries are sent to.',
  })
  url!: string;
}

/** `PUT /hooks/:hook_id`: absent parameters stay as they are. */
class V4UpdateSystemHookDto extends V4SystemHookSettingsDto {
  @StringParam({ blank: 'refused', description: 'Another server drops the token.' })
  url?: string;
}

@V4Controller('hooks', 'SystemHooks')
export class V4SystemHooksController {
  constructor(
    private readonly hooks: SystemHooksService,
    private readonly headers: CustomHeadersService,
  ) {}

  /** The hooks of the instance, newest first. */
  @Get()
  @Requires('system-hook:administer')
  @AnswersList(V4SystemHookView)
  async list(@Query() query: PageQuery): Promise<Page<V4SystemHookView>> {
    return mapPage(await this.hooks.list(query), presentV4SystemHook);
  }

  /** A hook of the instance. */
  @Get(':hook_id')
  @Requires('system-hook:administer')
  @Answers(V4SystemHookView)
  async read(@Param('hook_id') id: number): Promise<V4SystemHookView> {
    return presentV4SystemHook(await this.hooks.read(id));
  }

  /** Adds a hook to the instance. It gets the payloads of version 4. */
  @Post()
  @Requires('system-hook:administer')
  @Audits('hook.added')
  @Answers(V4SystemHookView)
  @MayAnswer(422)
  async create(@Body() body: V4CreateSystemHookDto): Promise<V4SystemHookView> {
    const input = {
      ...toChanges(body),
      url: body.url,
      pushEvents: body.push_events ?? false,
      repositoryUpdateEvents: body.repository_update_events ?? true,
    };
    return presentV4SystemHook(await this.hooks.create(input, 4));
  }

  /** Updates a hook of the instance; a disabled one is enabled. */
  @Put(':hook_id')
  @Requires('system-hook:administer')
  @Audits('hook.updated')
  @Answers(V4SystemHookView)
  @MayAnswer(422)
  async update(
    @Param('hook_id') id: number,
    @Body() body: V4UpdateSystemHookDto,
  ): Promise<V4SystemHookView> {
    const changes = { ...toChanges(body, await this.hooks.read(id)), url: body.url };
    return presentV4SystemHook(await this.hooks.update(id, changes));
  }

  /** Sends a hook of the instance a sample event, and returns that event. */
  @Post(':hook_id')
  @Requires('system-hook:administer')
  @Audits('hook.enabled')
  @Answers(V4SampleEventView)
  async test(@Param('hook_id') id: number): Promise<V4SampleEventView> {
    await this.hooks.test(id, V4_SAMPLE_EVENT);
    return V4_SAMPLE_EVENT;
  }

  /** Removes a hook of the instance. */
  @Delete(':hook_id')
  @Requires('system-hook:administer')
  @Audits('hook.removed')
  @AnswersNothing()
  async remove(@Param('hook_id') id: number): Promise<void> {
    await this.hooks.remove(id);
  }

  /** Sets a custom header of a hook of the instance. */
  @Put(':hook_id/custom_headers/:key')
  @Requires('system-hook:administer')
  @Audits('hook.updated')
  @FixedStatus(204)
  @AnswersNothing()
  @MayAnswer(422)
  async setHeader(
    @Param('hook_id') id: number,
    @Param('key') key: string,
    @Body() { value }: V4CustomHeaderDto,
  ): Promise<void> {
    await this.headers.set(null, id, { key, value });
  }

  /** Removes a custom header of a hook of the instance. */
  @Delete(':hook_id/custom_headers/:key')
  @Requires('system-hook:administer')
  @Audits('hook.updated')
  @AnswersNothing()
  async removeHeader(@Param('hook_id') id: number, @Param('key') key: string): Promise<void> {
    await this.headers.remove(null, id, key);
  }
}

const toChanges = (body: V4SystemHookSettingsDto, before?: Hook): HookChanges => ({
  ...toV4HookSettings(body, before),
  pushEvents: body.push_events,
  tagPushEvents: body.tag_push_events,
  mergeRequestsEvents: body.merge_requests_events,
  repositoryUpdateEvents: body.repository_update_events,
});
