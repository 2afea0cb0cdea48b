import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Answers, AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import { CreateSshKeyDto, presentSshKey, SshKeyView } from '../../users/v3/index.js';
import { DeployKeysService } from '../deploy-keys/deploy-keys.service.js';

@V3Controller('deploy_keys', 'AllDeployKeys')
export class AllDeployKeysController {
  constructor(private readonly keys: DeployKeysService) {}

  /** The deploy keys of all projects, newest first. */
  @Get()
  @Requires('deploy-key:list-all')
  @AnswersList(SshKeyView)
  async list(@Query() query: PageQuery): Promise<Page<SshKeyView>> {
    return mapPage(await this.keys.listAll(query), presentSshKey);
  }
}

@V3Controller('projects/:id/deploy_keys', 'DeployKeys')
export class DeployKeysController {
  constructor(private readonly keys: DeployKeysService) {}

  /** The deploy keys of a project, newest first. */
  @Get()
  @Requires('deploy-key:administer')
  @AnswersList(SshKeyView)
  async list(
    @InProject() { id: projectId }: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<Page<SshKeyView>> {
    return mapPage(await this.keys.list(projectId, query), ({ key }) => presentSshKey(key));
  }

  /** A deploy key of a project. */
  @Get(':key_id')
  @Requires('deploy-key:administer')
  @Answers(SshKeyView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<SshKeyView> {
    return presentSshKey((await this.keys.read(projectId, id)).key);
  }

  /**
   * Adds a deploy key to a project. An existing deploy key is linked and answered with its own title, if the
   * caller is an administrator or a master of a project that has it.
   */
  @Post()
  @Requires('deploy-key:administer')
  @Audits('deploy_key.added')
  @Answers(SshKeyView)
  async add(
    @Caller() caller: User,
    @InProject() { id: projectId }: ProjectRef,
    @Body() body: CreateSshKeyDto,
  ): Promise<SshKeyView> {
    return presentSshKey((await this.keys.add(caller, projectId, body)).key);
  }

  /** Links a deploy key of a project where the caller is a master; administrators link any. */
  @Post(':key_id/enable')
  @Requires('deploy-key:administer')
  @Audits('deploy_key.added')
  @Answers(SshKeyView)
  async enable(
    @Caller() caller: User,
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<SshKeyView> {
    return presentSshKey((await this.keys.enable(caller, projectId, id)).key);
  }

  /** Unlinks a deploy key from a project, and deletes it if that was its last project. */
  @Delete([':key_id', ':key_id/disable'])
  @Requires('deploy-key:administer')
  @Audits('deploy_key.removed')
  @Answers(SshKeyView)
  async disable(
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<SshKeyView> {
    return presentSshKey(await this.keys.disable(projectId, id));
  }
}
