import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../../authorization/index.js';
import { OnlyAdministrators, PageController, PageSender } from '../../web/index.js';
import { storagesPage } from './storages-page.js';
import { ConsoleStoragesService } from './storages.service.js';

/** `/admin/storages` */
@PageController('admin/storages')
@OnlyAdministrators()
export class ConsoleStoragesController {
  constructor(
    private readonly storages: ConsoleStoragesService,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async list(@Res() response: Response): Promise<void> {
    this.pages.send(response, storagesPage(await this.storages.list()));
  }
}
