import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../authorization/index.js';
import { OnlyAdministrators, PageController, PageSender } from '../../web/index.js';
import { overviewPage } from './overview-page.js';
import { OverviewService } from './overview.service.js';

/** `/admin` */
@PageController('admin')
@OnlyAdministrators()
export class ConsoleOverviewController {
  constructor(
    private readonly overview: OverviewService,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async show(@Res() response: Response): Promise<void> {
    this.pages.send(response, overviewPage(await this.overview.read()));
  }
}
