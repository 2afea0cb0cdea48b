import { Get, Param, Post, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { invalidParameter } from '../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  MayAnswer,
  PageQuery,
  PathIds,
  StringParam,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import type { StatusRange } from '../delivery-log/delivery-log.repository.js';
import { DeliveryLogService } from '../delivery-log/delivery-log.service.js';
import { maskPassword } from '../model/hook-secrets.js';
import { ProjectHooksService } from '../project-hooks/project-hooks.service.js';
import { presentHookEvent, V4HookEventView, V4ResentView } from './hook-event.view.js';

const EVENTS_PER_PAGE = 20;

const STATUSES: ReadonlyMap<string, StatusRange> = new Map([
  ['successful', { least: 200, most: 299 }],
  ['client_failure', { least: 400, most: 499 }],
  ['server_failure', { least: 500, most: 599 }],
]);
const STATUS = /^[1-5]\d\d$/;

/** `GET …/hooks/:hook_id/events`. */
class V4ListHookEventsDto extends PageQuery {
  @StringParam({
    description: '`successful`, `client_failure`, `server_failure`, or a number such as 404.',
  })
  status?: string;
}

/** The deliveries of a hook, as version 4 shows the delivery log. */
@V4Controller('projects/:id/hooks/:hook_id/events', 'HookEvents')
@PathIds({ event_id: 'long' })
export class V4HookEventsController {
  constructor(
    private readonly hooks: ProjectHooksService,
    private readonly log: DeliveryLogService,
  ) {}

  /** The deliveries to a hook in the last thirty days with their last attempts, newest first; at most 20 a page. */
  @Get()
  @Requires('project-hook:administer')
  @AnswersList(V4HookEventView)
  async list(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Query() { status, ...request }: V4ListHookEventsDto,
  ): Promise<Page<V4HookEventView>> {
    const statuses = status === undefined ? undefined : statusesOf(status);
    const hook = await this.hooks.read(projectId, hookId);
    const perPage = Math.min(request.perPage, EVENTS_PER_PAGE);
    const page = await this.log.listWithAttempts(hook, statuses, { ...request, perPage });
    return mapPage(page, (delivery) => presentHookEvent(maskPassword(hook.url), delivery));
  }

  /** Sends a delivery again, and waits for the response. It is identified as before; a disabled hook is enabled. */
  @Post(':event_id/resend')
  @Requires('project-hook:administer')
  @Audits('hook.enabled')
  @Answers(V4ResentView)
  @MayAnswer(422)
  async resend(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Param('event_id') id: number,
  ): Promise<V4ResentView> {
    const hook = await this.hooks.read(projectId, hookId);
    return { response_status: await this.log.resend(hook, id) };
  }
}

function statusesOf(text: string): StatusRange {
  const range = STATUSES.get(text);
  if (range !== undefined) return range;
  if (!STATUS.test(text)) throw invalidParameter('status does not have a valid value');
  return { least: Number(text), most: Number(text) };
}
