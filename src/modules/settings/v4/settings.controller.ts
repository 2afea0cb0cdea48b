import { Body, Get, Put } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { SettingsService } from '../settings.service.js';
import { changedParameters, toV4SettingsChanges, V4UpdateSettingsDto } from './settings.dto.js';
import { presentV4Settings, V4SettingsView } from './settings.view.js';

@V4Controller('application/settings', 'Settings')
export class V4SettingsController {
  constructor(private readonly settings: SettingsService) {}

  /** The settings of the instance. */
  @Get()
  @Requires('settings:administer')
  @Answers(V4SettingsView)
  async read(): Promise<V4SettingsView> {
    return presentV4Settings(await this.settings.current());
  }

  /** Changes the given settings, all or none; they take effect at once. */
  @Put()
  @Requires('settings:administer')
  @Audits('settings.updated')
  @Answers(V4SettingsView)
  async update(@Body() body: V4UpdateSettingsDto): Promise<V4SettingsView> {
    const changes = changedParameters(body, presentV4Settings(await this.settings.current()));
    return presentV4Settings(await this.settings.update(toV4SettingsChanges(changes)));
  }
}
