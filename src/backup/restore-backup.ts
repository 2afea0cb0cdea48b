import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { REPOSITORY_FOLDERS, repositoryTexts } from '../git/index.js';
import { type Config, syncFolder, writeNewFile } from '../platform/config/index.js';
import { DataDirLock, EmbeddedPostgres } from '../platform/database/embedded/index.js';
import { INSTANCE_KEY_FILE } from '../platform/secrets/index.js';
import { knownMigrations, migrate, migrateTo } from '../bootstrap/migrate.js';
import { recordCommand } from '../bootstrap/record-command.js';
import { beginRestore, endRestore } from '../bootstrap/restore-marker.js';
import { connect } from './database/connection.js';
import {
  clearDatabase,
  completeDatabase,
  countOtherSessions,
  DatabaseLoad,
  hasMigrations,
  hasTables,
} from './database/database-load.js';
import { BackupError, explainSystemErrors } from './errors.js';
import { type BackupSource, openBackup, verifyBackup } from './files/backup-source.js';
import { countRows, type Manifest, REPOSITORIES, UPLOADS } from './manifest.js';
import type { Progress } from './progress.js';
import { isHostKeyFile, type Keys, openKeys } from './sealed-keys.js';

const SESSION_LOOKS = 10;
const SESSION_LOOK_MS = 500;
/** The folder of repositories, and that of uploads, below which all files of projects lie. */
const HASHED = '@hashed';
const FIXED_FILE = /^repositories\/.+\.git\/(config|info\/attributes)$/;
const TABLE = /^database\/(.+)\.copy\.gz$/;

export interface RestoreOptions {
  readonly config: Config;
  /** A folder or archive that `createBackup` has made, or a directory of such folders. */
  readonly from: string;
  /** Whether the data of an instance that is there is replaced. */
  readonly force: boolean;
  readonly passphrase: string | null;
  readonly progress: Progress;
  /** Of the embedded server. */
  readonly logger: Logger;
}

export interface RestoreResult {
  readonly manifest: Manifest;
  /** Of all tables. */
  readonly rows: number;
  /** Whether the keys of the instance are in place. */
  readonly hasKeys: boolean;
}

/**
 * Restores an instance from a backup, of which every byte is verified before anything is changed. While it runs, and after
 * it was interrupted, nothing starts in the same `DATA_DIR`.
 * @throws BackupError
 */
export function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  return explainSystemErrors(options.config.dataDir, () => restore(options));
}

async function restore(options: RestoreOptions): Promise<RestoreResult> {
  const { config, force, progress } = options;
  const source = await openBackup(path.resolve(options.from));
  // What can be found out without reading the backup, which may take hours, comes first.
  await requireEmptyFolders(config, force);
  if (config.database.url === undefined) await DataDirLock.requireFree(config.dataDir);
  else await requireUsableDatabase(config.database.url, force);
  const opened: { keys: Keys | null } = { keys: null };
  const { manifest } = await progress.progress('Verifying the backup', source.bytes, (advance) =>
    verifyBackup(source, advance, {
      checkManifest: (found) => requireRestorable(found, config),
      checkKeys: async (sealed) => {
        opened.keys = await unsealKeys(sealed, options);
      },
    }),
  );
  const { keys } = opened;
  await withDatabaseServer(options, async (databaseUrl) => {
    await requireUsableDatabase(databaseUrl, force);
    await beginRestore(config.dataDir);
    await clear(config, databaseUrl);
    await migrateTo(databaseUrl, manifest.migrations);
    await load(options, source, manifest, databaseUrl);
    if (keys !== null) await writeKeys(config, keys);
    await progress.progress('Completing the database', 1, async () => {
      await migrate(databaseUrl);
      await completeDatabase(databaseUrl);
      await recordCommand(databaseUrl, {
        action: 'backup.restored',
        target: { type: 'backup', name: path.resolve(options.from) },
        details: { taken_at: manifest.takenAt, repositories: manifest.repositories },
      });
    });
    await endRestore(config.dataDir);
  });
  const hasKeys = keys !== null || config.secretKey !== undefined;
  return { manifest, rows: countRows(manifest), hasKeys };
}

/** @throws BackupError for a backup that this program or these settings do not fit */
function requireRestorable(manifest: Manifest, { storages }: Config): void {
  const known = new Set(knownMigrations());
  const unknown = manifest.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new BackupError(
      `The backup was made by a newer version (${manifest.programVersion}): restore it with that version. This program does not know the migrations ${unknown.join(', ')}.`,
    );
  }
  const missing = manifest.storages.filter((name) => !storages.has(name));
  if (missing.length > 0) {
    throw new BackupError(
      `The backup has repositories in the storages ${missing.join(', ')}: name folders for them in REPOSITORY_STORAGES.`,
    );
  }
}

/** @returns null when the instance has its key from its settings, and no passphrase is given */
async function unsealKeys(
  sealed: string,
  { config, passphrase }: RestoreOptions,
): Promise<Keys | null> {
  if (passphrase === null) {
    if (config.secretKey !== undefined) return null;
    throw new BackupError(
      'The keys of the backup are sealed: name a file with their passphrase by --passphrase-file, or set SECRET_KEY to the key of the instance.',
    );
  }
  const keys = await openKeys(sealed, passphrase);
  if (config.secretKey !== undefined && config.secretKey !== keys.secretKey) {
    throw new BackupError(
      'SECRET_KEY is not the key of the backup: unset it, or set it to the key that the instance had.',
    );
  }
  return keys;
}

/** @throws BackupError if there are files of an instance, unless they are to be replaced */
async function requireEmptyFolders(config: Config, force: boolean): Promise<void> {
  if (force) return;
  const names = await readdir(config.dataDir).catch(() => []);
  const keys = names.filter((name) => name === INSTANCE_KEY_FILE || isHostKeyFile(name));
  const candidates = [
    ...keys.map((name) => path.join(config.dataDir, name)),
    ...roots(config),
    ...(config.database.url === undefined ? [path.join(config.dataDir, 'postgres')] : []),
  ];
  for (const candidate of candidates) {
    const found = await stat(candidate).catch(() => null);
    if (found !== null) throw new BackupError(`${candidate} exists already. ${FORCE}`);
  }
}

const FORCE =
  'Restore into an empty folder and database, or replace the instance that is there by --force.';

/** The folders that hold all repositories and uploads of projects. */
const roots = ({ storages, dataDir }: Config): string[] =>
  [...storages.values(), path.join(dataDir, UPLOADS)].map((root) => path.join(root, HASHED));

/** Provides the configured database, or the embedded one for as long as `work` takes. */
async function withDatabaseServer(
  { config, logger }: RestoreOptions,
  work: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  if (config.database.url !== undefined) {
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
    return work(config.database.url);
  }
  const server = await EmbeddedPostgres.start({ dataDir: config.dataDir, logger });
  try {
    await work(server.url);
  } finally {
    await server.stop();
  }
}

/** @throws BackupError if the database is in use, or holds tables that are not to be replaced */
async function requireUsableDatabase(databaseUrl: string, force: boolean): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    if (await hasTables(client)) {
      if (!force) throw new BackupError(`The database is not empty. ${FORCE}`);
      if (!(await hasMigrations(client, knownMigrations()))) {
        throw new BackupError(
          'The database is not empty, and its tables are not those of an instance: --force does not replace them. Set DATABASE_URL to the database of the instance, or to an empty one.',
        );
      }
    }
    let sessions = await countOtherSessions(client);
    // PostgreSQL may not have noticed yet that a killed process has lost its connection.
    for (let look = 1; sessions > 0 && look < SESSION_LOOKS; look += 1) {
      await delay(SESSION_LOOK_MS);
      sessions = await countOtherSessions(client);
    }
    if (sessions > 0) {
      throw new BackupError(`The database has ${sessions} other sessions: stop the service first.`);
    }
  } finally {
    await client.end();
  }
}

/** Removes what is to be replaced. */
async function clear(config: Config, databaseUrl: string): Promise<void> {
  for (const root of roots(config)) await rm(root, { recursive: true, force: true });
  const client = await connect(databaseUrl);
  try {
    await clearDatabase(client);
  } finally {
    await client.end();
  }
}

/** Puts all files in place and loads all rows; the rows are committed when the files are on the disk. */
async function load(
  { config, progress }: RestoreOptions,
  source: BackupSource,
  manifest: Manifest,
  databaseUrl: string,
): Promise<void> {
  const database = await DatabaseLoad.begin(databaseUrl, manifest);
  const files = new RestoredFiles(config);
  try {
    await progress.progress('Restoring', source.bytes, async (advance) => {
      for await (const { path: name, content } of source.files(advance)) {
        const [, table] = TABLE.exec(name) ?? [];
        if (table !== undefined) await database.loadTable(table, content);
        else if (!(await files.restore(name, content))) content.resume();
      }
      await files.flush();
    });
    await progress.progress('Checking foreign keys', 1, () => database.commit());
  } finally {
    await database.close();
  }
}

/** Writes the files of repositories and uploads. */
class RestoredFiles {
  private readonly folders = new Set<string>();

  constructor(private readonly config: Config) {}

  /** @returns false for a file of another kind, whose content is not read */
  async restore(name: string, content: Readable): Promise<boolean> {
    const target = this.pathFor(name);
    if (target === null) return false;
    await this.makeFolder(path.dirname(target.path), target.root);
    if (name.endsWith('.git/HEAD')) await this.makeRepositoryFolders(target);
    const file = await open(target.path, 'wx', 0o600);
    try {
      const fixed = fixedText(name);
      if (fixed !== undefined) await file.writeFile(fixed);
      else for await (const chunk of content) await file.writeFile(chunk as Buffer);
      await file.sync();
    } finally {
      await file.close();
    }
    content.resume();
    return true;
  }

  /** Flushes the entries of all folders to the disk. */
  async flush(): Promise<void> {
    for (const folder of this.folders) await syncFolder(folder);
  }

  private pathFor(name: string): { path: string; root: string } | null {
    const [kind, storage = '', ...rest] = name.split('/');
    if (kind === UPLOADS) {
      return { path: path.join(this.config.dataDir, name), root: this.config.dataDir };
    }
    const root = this.config.storages.get(storage);
    if (kind !== REPOSITORIES || root === undefined) return null;
    return { path: path.join(root, ...rest), root };
  }

  private async makeRepositoryFolders(head: { path: string; root: string }): Promise<void> {
    for (const folder of REPOSITORY_FOLDERS) {
      await this.makeFolder(path.join(path.dirname(head.path), folder), head.root);
    }
  }

  private async makeFolder(folder: string, root: string): Promise<void> {
    if (this.folders.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let made = folder; made !== path.dirname(root); made = path.dirname(made)) {
      this.folders.add(made);
    }
  }
}

/**
 * Returns the text of a file that is the same in every repository. That of the backup is not used: git runs programs that a
 * repository's settings name.
 */
function fixedText(name: string): string | undefined {
  const [, file = ''] = FIXED_FILE.exec(name) ?? [];
  return repositoryTexts('master', [])[file];
}

/** Writes the keys; the secret key not if it is configured. */
async function writeKeys({ dataDir, secretKey }: Config, keys: Keys): Promise<void> {
  const files = new Map(Object.entries(keys.hostKeys));
  if (secretKey === undefined && keys.secretKey !== null) {
    files.set(INSTANCE_KEY_FILE, `${keys.secretKey}\n`);
  }
  for (const [name, text] of files) {
    if (name !== INSTANCE_KEY_FILE && !isHostKeyFile(name)) continue;
    const file = path.join(dataDir, name);
    await rm(file, { force: true });
    await writeNewFile(file, text);
  }
  await syncFolder(dataDir);
}
