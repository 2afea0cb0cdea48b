import { Controller, Get, Query } from '@nestjs/common';
import { AnswersList, mapPage, type Page, PageQuery } from '../../../platform/http/index.js';
import { Requires } from '../../access/index.js';
import { presentSshKey, SshKeyView } from '../../users/index.js';
import { DeployKeysService } from './deploy-keys.service.js';

@Controller('deploy_keys')
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
