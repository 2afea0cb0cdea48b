import { Body, Controller, Get, Put } from '@nestjs/common';
import { Answers } from '../../platform/http/index.js';
import { Requires } from '../access/index.js';
import { toSettingsChanges, UpdateSettingsDto } from './settings.dto.js';
import { SettingsPresenter } from './settings.presenter.js';
import { SettingsService } from './settings.service.js';
import { SettingsView } from './settings.view.js';

@Controller('application/settings')
export class SettingsController {
  constructor(
    private readonly settings: SettingsService,
    private readonly presenter: SettingsPresenter,
  ) {}

  /** The settings of the instance. */
  @Get()
  @Requires('settings:administer')
  @Answers(SettingsView)
  async read(): Promise<SettingsView> {
    return this.presenter.present(await this.settings.current());
  }

  /** Changes the given settings, all or none; they take effect at once. */
  @Put()
  @Requires('settings:administer')
  @Answers(SettingsView)
  async update(@Body() body: UpdateSettingsDto): Promise<SettingsView> {
    return this.presenter.present(await this.settings.update(toSettingsChanges(body)));
  }
}
