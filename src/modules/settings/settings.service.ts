import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { assertValid, type FieldProblems } from '../../platform/errors/index.js';
import { type AuditDetails, AuditLog } from '../audit/index.js';
import type { ApplicationSettings } from './application-settings.entity.js';
import { SettingsRepository } from './settings.repository.js';
import {
  changedValues,
  type SettingsChanges,
  settingsProblems,
  storageProblems,
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
   * @throws DomainError invalid fields: every field that breaks a rule
   */
  update(changes: SettingsChanges): Promise<ApplicationSettings> {
    return this.work.run(async () => {
      const current = await this.settings.lock();
      const values = changedValues(current, changes);
      assertValid(this.problems(current, values, changes));
      if (Object.keys(values).length > 0) {
        await this.settings.update(values);
        await this.audit.record({
          action: 'settings.updated',
          target: { type: 'settings' },
          details: this.changesBetween(current, values),
        });
      }
      return this.settings.find();
    });
  }

  private problems(
    current: ApplicationSettings,
    values: Partial<ApplicationSettings>,
    { repositoryStorage }: SettingsChanges,
  ): FieldProblems {
    const next = { ...current, ...values };
    const known = new Set([...this.config.storages.keys(), ...current.repositoryStorages]);
    const problems = storageProblems(next.repositoryStorages, known);
    const isSingle = next.repositoryStorages.join() === repositoryStorage;
    const field = isSingle ? 'repositoryStorage' : 'repositoryStorages';
    return { ...settingsProblems(next), [field]: problems };
  }

  /** The old and new values of the changed settings, as they are stored. None of them is a secret. */
  private changesBetween(
    current: ApplicationSettings,
    values: Partial<ApplicationSettings>,
  ): AuditDetails {
    const before = this.settings.storedValues(current);
    const changes = Object.entries(this.settings.storedValues(values)).map(([column, to]) => {
      return [column, { from: before[column], to }] as const;
    });
    return Object.fromEntries(changes) as AuditDetails;
  }
}
