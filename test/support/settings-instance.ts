import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from './client.js';
import type { Settings } from './settings-values.js';
import { Trellis } from './trellis.js';

/** Where an instance's settings are read and changed. */
export const SETTINGS = '/application/settings';

/** The shared service with a second storage, `fast`, whose settings an administrator reads and changes. */
export class SettingsInstance {
  private constructor(
    readonly trellis: Trellis,
    readonly admin: Client,
    private readonly folder: string,
  ) {}

  static async start(): Promise<SettingsInstance> {
    const folder = await mkdtemp(path.join(tmpdir(), 'trellis-storages-'));
    const trellis = await Trellis.shared({ settings: { REPOSITORY_STORAGES: `fast=${folder}` } });
    return new SettingsInstance(trellis, trellis.as(await trellis.factories.admin()), folder);
  }

  async stop(): Promise<void> {
    await this.reset();
    await this.trellis.restore();
    await rm(this.folder, { recursive: true });
  }

  /** Makes the settings those of a new instance. */
  async reset(): Promise<void> {
    await this.trellis.rows('DELETE FROM application_settings');
    await this.trellis.rows('INSERT INTO application_settings (id) VALUES (1)');
  }

  async read(): Promise<Settings> {
    return (await this.admin.get(SETTINGS).expect(200)).body as Settings;
  }

  async change(body: object): Promise<Settings> {
    return (await this.admin.put(SETTINGS, body).expect(200)).body as Settings;
  }

  /** Changes settings by the fields of a form. */
  async changeByForm(fields: string): Promise<Settings> {
    const sent = this.admin.call('put', SETTINGS).type('form').send(fields);
    return (await sent.expect(200)).body as Settings;
  }

  /** Answers why a change is refused. */
  async refuse(body: object): Promise<unknown> {
    return (await this.admin.put(SETTINGS, body).expect(400)).body;
  }
}
