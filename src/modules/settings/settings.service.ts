import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { assertNoErrors, type FieldTexts } from '../../platform/errors/index.js';
import { type AuditDetails, AuditLog, type AuditValue } from '../audit/index.js';
import type { ApplicationSettings } from './application-settings.entity.js';
import { SettingsRepository } from './settings.repository.js';
import {
  changedValues,
  type SettingsChanges,
  settingsErrors,
  storageErrors,
} from './settings.rules.js';

@Injectable()
export class SettingsService {
  constructor(
    private readonly settings: SettingsRepository,
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly audit: AuditLog,
  ) {}

  /** Reads the settings from the database each time, so a change takes effect at once everywhere. */
  current(): Promise<ApplicationSettings> {
    return this.settings.find();
  }

  /**
   * Updates the given fields and returns all settings. Concurrent updates run one after the other, so that
   * rules on several fields hold.
   * @throws DomainError invalid record: every field that breaks a rule
   */
  update(changes: SettingsChanges): Promise<ApplicationSettings> {
    return this.work.run(async () => {
      const current = await this.settings.lock();
      const values = changedValues(current, changes);
      const errors = this.errors(current, values, changes);
      assertNoErrors(errors);
      if (Object.keys(values).length > 0) {
        await this.settings.update(values);
        await this.audit.record({
          action: 'settings.updated',
          target: { type: 'settings' },
          details: changesBetween(current, values),
        });
      }
      return this.settings.find();
    });
  }

  private errors(
    current: ApplicationSettings,
    values: Partial<ApplicationSettings>,
    { repositoryStorage }: SettingsChanges,
  ): FieldTexts {
    const next = { ...current, ...values };
    const known = new Set([...this.config.storages.keys(), ...current.repositoryStorages]);
    const texts = storageErrors(next.repositoryStorages, known);
    const isSingle = next.repositoryStorages.join() === repositoryStorage;
    const field = isSingle ? 'repository_storage' : 'repository_storages';
    return { ...settingsErrors(next), ...(texts.length === 0 ? {} : { [field]: texts }) };
  }
}

/** The old and new values of the changed settings, by their names in the API. None of them is a secret. */
function changesBetween(
  current: ApplicationSettings,
  values: Partial<ApplicationSettings>,
): AuditDetails {
  const changes = Object.entries(values).map(([field, to]) => [
    field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    { from: Reflect.get(current, field) as AuditValue, to: to as AuditValue },
  ]);
  return Object.fromEntries(changes) as AuditDetails;
}
