import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ProcessesRepository } from '../../../platform/cluster/index.js';
import { Requires } from '../../authorization/index.js';
import { OnlyAdministrators, PageController, PageSender } from '../../web/index.js';
import { processesPage } from './processes-page.js';

/** `/admin/processes` */
@PageController('admin/processes')
@OnlyAdministrators()
export class ConsoleProcessesController {
  constructor(
    private readonly processes: ProcessesRepository,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async list(@Res() response: Response): Promise<void> {
    this.pages.send(response, processesPage(await this.processes.list()));
  }
}
