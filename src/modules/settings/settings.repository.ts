import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { AuditValue } from '../audit/index.js';
import { ApplicationSettings } from './application-settings.entity.js';

const ONLY_ROW = 1;

@Injectable()
export class SettingsRepository {
  constructor(private readonly database: Database) {}

  async find(): Promise<ApplicationSettings> {
    const [settings] = await this.database.entities(
      ApplicationSettings,
      's',
      'FROM application_settings s WHERE s.id = $1',
      [ONLY_ROW],
    );
    if (settings === undefined) throw new Error('The row of application_settings is missing');
    return settings;
  }

  /** Locks the settings to the end of the unit of work. */
  lock(): Promise<ApplicationSettings> {
    return this.database.of(ApplicationSettings).findOneOrFail({
      where: { id: ONLY_ROW },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Returns what the columns of the given values store, by the names of the columns. */
  storedValues(values: Partial<ApplicationSettings>): Record<string, AuditValue> {
    const { columns } = this.database.of(ApplicationSettings).metadata;
    const stored = columns
      .filter(({ propertyName }) => propertyName in values)
      .map((column) => [column.databaseName, column.getEntityValue(values, true) as AuditValue]);
    return Object.fromEntries(stored) as Record<string, AuditValue>;
  }

  async update(values: Partial<ApplicationSettings>): Promise<void> {
    await this.database.of(ApplicationSettings).update({ id: ONLY_ROW }, values);
  }
}
