import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { Answers, AnswersList, EmptyWhenAbsent, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pages/index.js';
import { InProject, type ProjectRef, Requires } from '../../access/index.js';
import { toHookInput, WriteProjectHookDto } from './project-hook.dto.js';
import { presentProjectHook } from './project-hook.presenter.js';
import { ProjectHookView } from './project-hook.view.js';
import { ProjectHooksService } from './project-hooks.service.js';

@Controller('projects/:id/hooks')
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
  @Answers(ProjectHookView)
  async create(
    @InProject() { id: projectId }: ProjectRef,
    @Body() body: WriteProjectHookDto,
  ): Promise<ProjectHookView> {
    return presentProjectHook(projectId, await this.hooks.create(projectId, toHookInput(body)));
  }

  /** Updates a hook; a disabled one is enabled. */
  @Put(':hook_id')
  @Requires('project-hook:administer')
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
