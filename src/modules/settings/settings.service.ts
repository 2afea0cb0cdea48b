import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { Database, UnitOfWork } from '../../platform/database/index.js';
import { type FieldTexts, invalidRecord } from '../../platform/errors/index.js';
import { ApplicationSettings } from './application-settings.entity.js';
import { type SettingsChanges, valuesOf } from './settings-changes.js';
import { settingsErrors, storageErrors } from './settings-rules.js';

const ONLY_ROW = 1;

@Injectable()
export class SettingsService {
  constructor(
    private readonly database: Database,
    private readonly work: UnitOfWork,
    private readonly config: Config,
  ) {}

  /** The settings as they are now: read anew each time, so a change counts at once everywhere. */
  async current(): Promise<ApplicationSettings> {
    const statement = 'FROM application_settings s WHERE s.id = $1';
    const [settings] = await this.database.entities(ApplicationSettings, 's', statement, [
      ONLY_ROW,
    ]);
    if (settings === undefined) throw new Error('The settings are gone');
    return settings;
  }

  /**
   * Changes the given fields and answers all of them. Changes that come together wait for each
   * other, so that rules on several fields hold.
   * @throws DomainError invalid record: every field that breaks a rule of open points 09
   */
  update(changes: SettingsChanges): Promise<ApplicationSettings> {
    return this.work.run(async () => {
      const rows = this.database.of(ApplicationSettings);
      const lock = { mode: 'pessimistic_write' } as const;
      const current = await rows.findOneOrFail({ where: { id: ONLY_ROW }, lock });
      const values = valuesOf(current, changes);
      const errors = this.errors(current, values, changes);
      if (Object.keys(errors).length > 0) throw invalidRecord(errors);
      if (Object.keys(values).length > 0) await rows.update({ id: ONLY_ROW }, values);
      return this.current();
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
