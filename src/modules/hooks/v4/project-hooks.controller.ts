import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { invalidParameter, recordNotFound } from '../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  FixedStatus,
  MayAnswer,
  PageQuery,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { User } from '../../users/index.js';
import { CustomHeadersService } from '../model/custom-headers.service.js';
import type { SampleKind } from '../model/hook.entity.js';
import { ProjectHooksService } from '../project-hooks/project-hooks.service.js';
import { V4CustomHeaderDto } from './hook-settings.dto.js';
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
  ['confidential_issues_events', 'confidential_issue'],
  ['note_events', 'note'],
  ['confidential_note_events', 'confidential_note'],
  ['merge_requests_events', 'merge_request'],
  ['job_events', 'build'],
  ['pipeline_events', 'pipeline'],
  ['wiki_page_events', 'wiki_page'],
  ['releases_events', 'release'],
  ['emoji_events', 'emoji'],
]);

@V4Controller('projects/:id/hooks', 'ProjectHooks')
export class V4ProjectHooksController {
  constructor(
    private readonly hooks: ProjectHooksService,
    private readonly headers: CustomHeadersService,
  ) {}

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

  /** Adds a hook to a project. It gets the payloads of version 4. */
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
    return presentV4ProjectHook(projectId, await this.hooks.create(projectId, input, 4));
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
    const changes = toV4HookChanges(body, await this.hooks.read(projectId, id));
    return presentV4ProjectHook(projectId, await this.hooks.update(projectId, id, changes));
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

  /** Sets a custom header of a hook. */
  @Put(':hook_id/custom_headers/:key')
  @Requires('project-hook:administer')
  @Audits('hook.updated')
  @FixedStatus(204)
  @AnswersNothing()
  @MayAnswer(422)
  async setHeader(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
    @Param('key') key: string,
    @Body() { value }: V4CustomHeaderDto,
  ): Promise<void> {
    await this.headers.set(projectId, id, { key, value });
  }

  /** Removes a custom header of a hook. */
  @Delete(':hook_id/custom_headers/:key')
  @Requires('project-hook:administer')
  @Audits('hook.updated')
  @AnswersNothing()
  async removeHeader(
    @InProject() { id: projectId }: ProjectRef,
    @Param('hook_id') id: number,
    @Param('key') key: string,
  ): Promise<void> {
    await this.headers.remove(projectId, id, key);
  }

  /**
   * Sends a hook the newest event of a kind in the project, such as `push_events`, whatever the hook subscribes to, and waits for the
   * response.
   */
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
    await this.hooks.testNow(project, id, kind, caller.id);
    return { message: '201 Created' };
  }
}
