import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  BooleanParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { SystemHooksService } from '../system-hooks/system-hooks.service.js';
import { presentV4SystemHook, V4SystemHookView } from './system-hook.view.js';

/** `POST /hooks`. */
class V4CreateSystemHookDto {
  @StringParam({
    required: true,
    description: 'The http or https address that deliveries are sent to.',
  })
  url!: string;

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 1_024,
    description: 'Sent with deliveries and used to sign them; never returned.',
  })
  token?: string | null;

  @BooleanParam({ default: false })
  push_events?: boolean;

  @BooleanParam({ default: false })
  tag_push_events?: boolean;

  @BooleanParam({ default: true })
  enable_ssl_verification?: boolean;
}

@V4Controller('hooks', 'SystemHooks')
export class V4SystemHooksController {
  constructor(private readonly hooks: SystemHooksService) {}

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

  /** Adds a hook to the instance. */
  @Post()
  @Requires('system-hook:administer')
  @Audits('hook.added')
  @Answers(V4SystemHookView)
  async create(@Body() body: V4CreateSystemHookDto): Promise<V4SystemHookView> {
    const hook = await this.hooks.create({
      url: body.url,
      token: body.token,
      pushEvents: body.push_events ?? false,
      tagPushEvents: body.tag_push_events,
      enableSslVerification: body.enable_ssl_verification,
    });
    return presentV4SystemHook(hook);
  }

  /** Removes a hook of the instance. */
  @Delete(':hook_id')
  @Requires('system-hook:administer')
  @Audits('hook.removed')
  @AnswersNothing()
  async remove(@Param('hook_id') id: number): Promise<void> {
    await this.hooks.remove(id);
  }
}
