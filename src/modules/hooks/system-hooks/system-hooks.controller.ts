import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  type Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Requires } from '../../access/index.js';
import { CreateSystemHookDto } from './dto/create-system-hook.dto.js';
import { SAMPLE_EVENT } from './sample-event.js';
import { SampleEventView } from './sample-event.view.js';
import { presentSystemHook } from './system-hook.presenter.js';
import { SystemHookView } from './system-hook.view.js';
import { SystemHooksService } from './system-hooks.service.js';

@Controller('hooks')
export class SystemHooksController {
  constructor(private readonly hooks: SystemHooksService) {}

  /** The hooks of the instance, the newest first. */
  @Get()
  @Requires('system-hook:administer')
  @AnswersList(SystemHookView)
  async list(@Query() query: PageQuery): Promise<Page<SystemHookView>> {
    return mapPage(await this.hooks.list(query), presentSystemHook);
  }

  /** Adds a hook to the instance. */
  @Post()
  @Requires('system-hook:administer')
  @Answers(SystemHookView)
  async create(@Body() body: CreateSystemHookDto): Promise<SystemHookView> {
    const { url, token, ...flags } = body;
    const hook = await this.hooks.create({
      url,
      token,
      pushEvents: flags.push_events,
      tagPushEvents: flags.tag_push_events,
      enableSslVerification: flags.enable_ssl_verification,
    });
    return presentSystemHook(hook);
  }

  /** Tries a hook of the instance with a sample event, which is the answer too. */
  @Get(':hook_id')
  @Requires('system-hook:administer')
  @Answers(SampleEventView)
  async test(@Param('hook_id') id: number): Promise<SampleEventView> {
    await this.hooks.test(id, SAMPLE_EVENT);
    return SAMPLE_EVENT;
  }

  /** Removes a hook of the instance. */
  @Delete(':hook_id')
  @Requires('system-hook:administer')
  @Answers(SystemHookView)
  async remove(@Param('hook_id') id: number): Promise<SystemHookView> {
    return presentSystemHook(await this.hooks.remove(id));
  }
}
