import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  EmptyWhenAbsent,
  MayAnswer,
  PageQuery,
  PathIds,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../../users/index.js';
import { DeliveryLogService } from '../delivery-log/delivery-log.service.js';
import {
  DeliveryDetailView,
  DeliveryView,
  presentDelivery,
  presentDeliveryDetail,
} from './delivery.view.js';
import { ListProjectDeliveriesDto, toDeliveryFilters } from './list-deliveries.dto.js';
import { TestHookDto, toHookInput, WriteProjectHookDto } from './project-hook.dto.js';
import { presentProjectHook, ProjectHookView } from './project-hook.view.js';
import { ProjectHooksService } from '../project-hooks/project-hooks.service.js';

@V3Controller('projects/:id/hooks', 'ProjectHooks')
export class ProjectHooksController {
  constructor(private readonly hooks: ProjectHooksService) {}

  /** The hooks of a project, newest first. */
  @Get()
  @Requires('project-hook:administer')
  @AnswersList(ProjectHookView)
  async list(
    @InProject() { id: projectId }: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<Page<ProjectHookView>> {
    const page = await this.hooks.list(projectId, query);
    return mapPage(page, (hook) => presentProjectHook(projectId, hook));
  }

  /** A hook of a project. */
  @Get(':hook_id')
  @Requires('project-hook:administer')
  @Answers(ProjectHookView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
  ): Promise<ProjectHookView> {
    return presentProjectHook(projectId, await this.hooks.read(projectId, id));
  }

  /** Adds a hook to a project. */
  @Post()
  @Requires('project-hook:administer')
  @Audits('hook.added')
  @Answers(ProjectHookView)
  async create(
    @InProject() { id: projectId }: ProjectRef,
    @Body() body: WriteProjectHookDto,
  ): Promise<ProjectHookView> {
    return presentProjectHook(projectId, await this.hooks.create(projectId, toHookInput(body), 3));
  }

  /** Updates a hook; a disabled one is enabled. */
  @Put(':hook_id')
  @Requires('project-hook:administer')
  @Audits('hook.updated')
  @Answers(ProjectHookView)
  async update(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
    @Body() body: WriteProjectHookDto,
  ): Promise<ProjectHookView> {
    const hook = await this.hooks.update(projectId, id, toHookInput(body));
    return presentProjectHook(projectId, hook);
  }

  /** Removes a hook; the response is empty when there is no such hook. */
  @Delete(':hook_id')
  @Requires('project-hook:administer')
  @Audits('hook.removed')
  @Answers(ProjectHookView, { nullable: true })
  @EmptyWhenAbsent()
  async remove(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
  ): Promise<ProjectHookView | null> {
    const hook = await this.hooks.remove(projectId, id);
    return hook && presentProjectHook(projectId, hook);
  }
}

/** Test deliveries to a project's hook, an addition to GitLab's API. */
@V3Controller('projects/:id/hooks/:hook_id/test', 'HookTests')
export class HookTestsController {
  constructor(private readonly hooks: ProjectHooksService) {}

  /** Sends a hook the newest event of a kind in the project, whatever the hook subscribes to. */
  @Post()
  @Requires('project-hook:administer')
  @Audits('hook.enabled')
  @Answers(DeliveryView)
  @MayAnswer(422)
  async test(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('hook_id') hookId: number,
    @Body() { event = 'push' }: TestHookDto,
  ): Promise<DeliveryView> {
    return presentDelivery(await this.hooks.test(project, hookId, event, caller.id));
  }
}

/** The delivery log of a project's hook, an addition to GitLab's API. */
@V3Controller('projects/:id/hooks/:hook_id/deliveries', 'ProjectDeliveries')
@PathIds({ delivery_id: 'long' })
export class ProjectDeliveriesController {
  constructor(
    private readonly hooks: ProjectHooksService,
    private readonly log: DeliveryLogService,
  ) {}

  /** The deliveries to a hook in the last thirty days, newest first. */
  @Get()
  @Requires('project-hook:administer')
  @AnswersList(DeliveryView)
  async list(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Query() query: ListProjectDeliveriesDto,
  ): Promise<Page<DeliveryView>> {
    const hook = await this.hooks.read(projectId, hookId);
    return mapPage(await this.log.list(hook, toDeliveryFilters(query), query), presentDelivery);
  }

  /** A delivery with its request and response. */
  @Get(':delivery_id')
  @Requires('project-hook:administer')
  @Answers(DeliveryDetailView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Param('delivery_id') id: number,
  ): Promise<DeliveryDetailView> {
    const hook = await this.hooks.read(projectId, hookId);
    return presentDeliveryDetail(await this.log.read(hook, id));
  }

  /** Sends a delivery again, with the same `webhook-id`; a disabled hook is enabled. */
  @Post(':delivery_id/redeliver')
  @Requires('project-hook:administer')
  @Audits('hook.enabled')
  @Answers(DeliveryView)
  async redeliver(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') hookId: number,
    @Param('delivery_id') id: number,
  ): Promise<DeliveryView> {
    const hook = await this.hooks.read(projectId, hookId);
    return presentDelivery(await this.log.redeliver(hook, id));
  }
}
