import { Module } from '@nestjs/common';
import { SettingsController } from './v3/settings.controller.js';
import { SettingsRepository } from './settings.repository.js';
import { SettingsService } from './settings.service.js';
import { StatisticsRepository } from './statistics.repository.js';
import { VersionController } from './v3/version.controller.js';
import { settingsAnswers } from './v3/refusals.js';
import { MetadataController } from './v4/metadata.controller.js';
import { v4SettingsAnswers } from './v4/refusals.js';
import { V4SettingsController } from './v4/settings.controller.js';
import { V4StatisticsController } from './v4/statistics.controller.js';

@Module({
  controllers: [
    MetadataController,
    SettingsController,
    V4SettingsController,
    V4StatisticsController,
    VersionController,
  ],
  providers: [
    settingsAnswers,
    v4SettingsAnswers,
    SettingsRepository,
    SettingsService,
    StatisticsRepository,
  ],
  exports: [SettingsService],
})
export class SettingsModule {}
