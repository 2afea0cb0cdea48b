import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { ApplicationSettings } from './application-settings.entity.js';

const ONLY_ROW = 1;

@Injectable()
export class SettingsService {
  constructor(private readonly database: Database) {}

  /** The settings as they are now: read anew each time, so a change counts at once everywhere. */
  current(): Promise<ApplicationSettings> {
    return this.database.of(ApplicationSettings).findOneByOrFail({ id: ONLY_ROW });
  }
}
