import { Body, Get, Put } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Config } from '../../../platform/config/index.js';
import { Answers } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { toSettingsChanges, UpdateSettingsDto } from './settings.dto.js';
import { SettingsService } from '../settings.service.js';
import { presentSettings, SettingsView } from './settings.view.js';

@V3Controller('application/settings', 'Settings')
export class SettingsController {
  constructor(
    private readonly settings: SettingsService,
    private readonly config: Config,
  ) {}

  /** The settings of the instance. */
  @Get()
  @Requires('settings:administer')
  @Answers(SettingsView)
  async read(): Promise<SettingsView> {
    return presentSettings(await this.settings.current(), this.config.http.statusProfile);
  }

  /** Changes the given settings, all or none; they take effect at once. */
  @Put()
  @Requires('settings:administer')
  @Audits('settings.updated')
  @Answers(SettingsView)
  async update(@Body() body: UpdateSettingsDto): Promise<SettingsView> {
    const settings = await this.settings.update(toSettingsChanges(body));
    return presentSettings(settings, this.config.http.statusProfile);
  }
}
