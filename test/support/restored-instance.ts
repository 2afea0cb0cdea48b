import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { createBackup, restoreBackup } from '../../src/backup/index.js';
import { PushRecovery } from '../../src/modules/repository/index.js';
import { Config, loadConfig } from '../../src/platform/config/index.js';
import { createDatabase } from './database.js';
import { Trellis } from './trellis.js';

const PASSPHRASE = 'correct horse battery staple';

/** Called when a task of a backup begins, by its title. */
type OnTask = (title: string) => Promise<void>;

const silently = (onTask: OnTask = () => Promise.resolve()) => ({
  progress: async <T>(
    title: string,
    _total: number,
    work: (advance: () => void) => Promise<T>,
  ): Promise<T> => {
    await onTask(title);
    return work(() => undefined);
  },
});

/** Backs a running service up. */
export function backUp(trellis: Trellis, to: string, onTask?: OnTask) {
  return createBackup({
    force: false,
    config: trellis.app.get(Config),
    databaseUrl: trellis.databaseUrl,
    passphrase: PASSPHRASE,
    progress: silently(onTask),
    to,
  });
}

/** Restores a backup into a new database and a new folder, and serves it as after a crash. */
export async function startRestored(from: string): Promise<Trellis> {
  const database = await createDatabase();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'trellis-restored-'));
  await restoreBackup({
    config: loadConfig({ DATA_DIR: dataDir, DATABASE_URL: database.url }),
    passphrase: PASSPHRASE,
    progress: silently(),
    logger: pino({ level: 'silent' }),
    // The database has the tables of the template.
    force: true,
    from,
  });
  // Its key is in the restored folder.
  const trellis = await Trellis.start({
    because: 'data of another instance',
    data: { database, dataDir },
    env: { SECRET_KEY: '' },
  });
  await trellis.app.get(PushRecovery).recoverAll();
  return trellis;
}
