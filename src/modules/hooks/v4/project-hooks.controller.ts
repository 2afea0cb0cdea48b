import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { invalidParameter, recordNotFound } from '../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  PageQuery,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../../users/index.js';
import type { SampleKind } from '../payloads/hook-payloads.js';
import { ProjectHooksService } from '../project-hooks/project-hooks.service.js';
import {
  toV4HookChanges,
  V4CreateProjectHookDto,
  V4UpdateProjectHookDto,
} from './project-hook.dto.js';
import { presentV4ProjectHook, V4HookTestView, V4ProjectHookView } from './project-hook.view.js';

/** The kinds of event of a test, as its path names them. */
const TRIGGERS: ReadonlyMap<string, SampleKind> = new Map([
  ['push_events', 'push'],
  ['tag_push_events', 'tag_push'],
  ['issues_events', 'issue'],
  ['note_events', 'note'],
  ['merge_requests_events', 'merge_request'],
  ['job_events', 'build'],
  ['pipeline_events', 'pipeline'],
]);

@V4Controller('projects/:id/hooks', 'ProjectHooks')
export class V4ProjectHooksController {
  constructor(private readonly hooks: ProjectHooksService) {}

  /** The hooks of a project, newest first. */
  @Get()
  @Requires('project-hook:administer')
  @AnswersList(V4ProjectHookView)
  async list(
    @InProject() { id: projectId }: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<Page<V4ProjectHookView>> {
    const page = await this.hooks.list(projectId, query);
    return mapPage(page, (hook) => presentV4ProjectHook(projectId, hook));
  }

  /** A hook of a project. */
  @Get(':hook_id')
  @Requires('project-hook:administer')
  @Answers(V4ProjectHookView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
  ): Promise<V4ProjectHookView> {
    return presentV4ProjectHook(projectId, await this.hooks.read(projectId, id));
  }

  /** Adds a hook to a project. */
  @Post()
  @Requires('project-hook:administer')
  @Audits('hook.added')
  @Answers(V4ProjectHookView)
  @MayAnswer(422)
  async create(
    @InProject() { id: projectId }: ProjectRef,
    @Body() body: V4CreateProjectHookDto,
  ): Promise<V4ProjectHookView> {
    const input = { ...toV4HookChanges(body), url: body.url };
    return presentV4ProjectHook(projectId, await this.hooks.create(projectId, input));
  }

  /** Updates a hook; a disabled one is enabled. */
  @Put(':hook_id')
  @Requires('project-hook:administer')
  @Audits('hook.updated')
  @Answers(V4ProjectHookView)
  @MayAnswer(422)
  async update(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
    @Body() body: V4UpdateProjectHookDto,
  ): Promise<V4ProjectHookView> {
    const hook = await this.hooks.update(projectId, id, toV4HookChanges(body));
    return presentV4ProjectHook(projectId, hook);
  }

  /** Removes a hook. */
  @Delete(':hook_id')
  @Requires('project-hook:administer')
  @Audits('hook.removed')
  @AnswersNothing()
  async remove(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
  ): Promise<void> {
    if ((await this.hooks.remove(projectId, id)) === null) throw recordNotFound('hook');
  }

  /** Sends a hook the newest event of a kind in the project, such as `push_events`, whatever the hook subscribes to. */
  @Post(':hook_id/test/:trigger')
  @Requires('project-hook:administer')
  @Audits('hook.enabled')
  @Answers(V4HookTestView)
  @MayAnswer(422)
  async test(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('hook_id') id: number,
    @Param('trigger') trigger: string,
  ): Promise<V4HookTestView> {
    const kind = TRIGGERS.get(trigger);
    if (kind === undefined) throw invalidParameter('trigger does not have a valid value');
    await this.hooks.test(project, id, kind, caller.id);
    return { message: '201 Created' };
  }
}
