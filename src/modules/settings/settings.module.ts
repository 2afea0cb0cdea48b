import { Module } from '@nestjs/common';
import { SettingsController } from './v3/settings.controller.js';
import { SettingsRepository } from './settings.repository.js';
import { SettingsService } from './settings.service.js';
import { VersionController } from './v3/version.controller.js';
import { settingsAnswers } from './v3/refusals.js';
import { MetadataController } from './v4/metadata.controller.js';

@Module({
  controllers: [MetadataController, SettingsController, VersionController],
  providers: [settingsAnswers, SettingsRepository, SettingsService],
  exports: [SettingsService],
})
export class SettingsModule {}
