import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { Answers, AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pages/index.js';
import { Requires } from '../../access/index.js';
import { CreateSystemHookDto } from './create-system-hook.dto.js';
import { presentSystemHook, SAMPLE_EVENT } from './system-hook.presenter.js';
import { SampleEventView, SystemHookView } from './system-hook.view.js';
import { SystemHooksService } from './system-hooks.service.js';

@Controller('hooks')
export class SystemHooksController {
  constructor(private readonly hooks: SystemHooksService) {}

  /** The hooks of the instance, newest first. */
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

  /** Sends a hook of the instance a sample event, and returns that event. */
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
