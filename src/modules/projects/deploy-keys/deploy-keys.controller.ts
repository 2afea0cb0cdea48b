import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  type Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../access/index.js';
import { CreateSshKeyDto, presentKey, SshKeyView, type User } from '../../users/index.js';
import { DeployKeysService } from './deploy-keys.service.js';

@Controller(['projects/:id/deploy_keys', 'projects/:id/keys'])
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
    return mapPage(await this.keys.list(projectId, query), presentKey);
  }

  /** A deploy key of a project. */
  @Get(':key_id')
  @Requires('deploy-key:administer')
  @Answers(SshKeyView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<SshKeyView> {
    return presentKey(await this.keys.read(projectId, id));
  }

  /**
   * Adds a deploy key to a project; the same key of another project where the caller is a master is linked
   * and answered as it is.
   */
  @Post()
  @Requires('deploy-key:administer')
  @Answers(SshKeyView)
  async add(
    @Caller() caller: User,
    @InProject() { id: projectId }: ProjectRef,
    @Body() body: CreateSshKeyDto,
  ): Promise<SshKeyView> {
    return presentKey(await this.keys.add(caller, projectId, body));
  }

  /** Links a deploy key of a project where the caller is a master; administrators link any. */
  @Post(':key_id/enable')
  @Requires('deploy-key:administer')
  @Answers(SshKeyView)
  async enable(
    @Caller() caller: User,
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<SshKeyView> {
    return presentKey(await this.keys.enable(caller, projectId, id));
  }

  /** Unlinks a deploy key from a project; with its last project it is removed. */
  @Delete(':key_id/disable')
  @Requires('deploy-key:administer')
  @Answers(SshKeyView)
  disable(
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<SshKeyView> {
    return this.unlink(projectId, id);
  }

  /** Unlinks a deploy key from a project; with its last project it is removed. */
  @Delete(':key_id')
  @Requires('deploy-key:administer')
  @Answers(SshKeyView)
  remove(
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<SshKeyView> {
    return this.unlink(projectId, id);
  }

  private async unlink(projectId: number, id: number): Promise<SshKeyView> {
    return presentKey(await this.keys.disable(projectId, id));
  }
}
