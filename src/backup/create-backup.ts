import path from 'node:path';
import { createGzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { Git } from '../git/index.js';
import { BACKUP_LOCK } from '../modules/storage/index.js';
import { type Config, programVersion } from '../platform/config/index.js';
import { keyFromText, Secrets, WrongKeyError } from '../platform/secrets/index.js';
import { connect } from './database/connection.js';
import { DatabaseSnapshot } from './database/database-snapshot.js';
import { BackupError, explainSystemErrors } from './errors.js';
import { ArchiveTarget } from './files/archive-target.js';
import type { BackupSize, BackupTarget } from './files/backup-target.js';
import { isArchive } from './files/compression.js';
import { DirectoryTarget } from './files/directory-target.js';
import {
  countRows,
  KEYS,
  MANIFEST,
  type Manifest,
  type TableManifest,
  tablePath,
  writeManifest,
} from './manifest.js';
import type { Progress } from './progress.js';
import { RepositoryBackup } from './repository-backup.js';
import { type Keys, readKeys, sealKeys } from './sealed-keys.js';
import { copyUploads } from './upload-backup.js';

/** A job that looks whether a backup is under way holds the lock for an instant. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';

export interface BackupOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** A directory, or a file whose name ends in `.tar.zst` or `.tar.gz`. */
  readonly to: string;
  /** Whether an archive that exists is replaced. */
  readonly force: boolean;
  /** What the keys are sealed with; null leaves them out. */
  readonly passphrase: string | null;
  readonly progress: Progress;
}

export interface BackupResult extends BackupSize {
  /** The new folder or file. */
  readonly path: string;
  readonly manifest: Manifest;
  /** Of all tables. */
  readonly rows: number;
}

/**
 * Backs an instance up while it serves: one moment of the database, with the repositories as they were then
 * (docs/decisions/0050-backup.md).
 * @throws BackupError
 */
export function createBackup(options: BackupOptions): Promise<BackupResult> {
  return explainSystemErrors(options.to, () => create(options));
}

async function create(options: BackupOptions): Promise<BackupResult> {
  const { config, databaseUrl, progress } = options;
  const live = await connect(databaseUrl);
  try {
    await lockBackups(live);
    const git = await Git.open({ runtimeDir: path.join(config.dataDir, 'run') });
    try {
      const target = await beginTarget(options);
      try {
        const manifest = await copyInstance({ ...options, live, git, target });
        // The connection has held the lock to the end.
        await live.query('SELECT 1');
        const folder = await progress.progress('Completing the backup', 1, () => target.complete());
        return { ...target.size, path: folder, manifest, rows: countRows(manifest) };
      } catch (error) {
        await target.abandon();
        throw error;
      }
    } finally {
      await git.close();
    }
  } finally {
    await live.end();
  }
}

interface Backup extends BackupOptions {
  readonly live: pg.Client;
  readonly git: Git;
  readonly target: BackupTarget;
}

const beginTarget = ({ to, force }: BackupOptions): Promise<BackupTarget> =>
  isArchive(to)
    ? ArchiveTarget.begin(path.resolve(to), force)
    : DirectoryTarget.begin(path.resolve(to));

/** Lets one backup run at a time, and keeps the files of deleted projects until it ends. */
async function lockBackups(live: pg.Client): Promise<void> {
  await live.query(`SET lock_timeout = ${String(LOCK_TIMEOUT_MS)}`);
  try {
    await live.query('SELECT pg_advisory_lock($1)', [BACKUP_LOCK]);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    throw new BackupError('Another backup of this instance is under way.', { cause: error });
  }
  await live.query('SET lock_timeout = 0');
}

async function copyInstance(backup: Backup): Promise<Manifest> {
  const { config, databaseUrl, live, git, target, passphrase, progress } = backup;
  const snapshot = await DatabaseSnapshot.take(databaseUrl);
  const repositories = new RepositoryBackup({ config, git, snapshot, live, target });
  const [projects, contents] = await takeSnapshot(backup, snapshot, repositories);
  await progress.progress('Copying repositories', projects.length, async (advance) => {
    for (const project of projects) {
      await repositories.copyObjects(project);
      advance();
    }
  });
  await progress.progress('Copying uploads', projects.length, async (advance) => {
    for (const { id } of projects) {
      await copyUploads(config, id, target);
      advance();
    }
  });
  const manifest: Manifest = {
    programVersion: programVersion(),
    ...contents,
    storages: [...new Set(projects.map(({ storage }) => storage))].sort(),
    repositories: projects.length,
    missingRepositories: repositories.missing,
    hasKeys: passphrase !== null,
  };
  await target.addText(MANIFEST, writeManifest(manifest));
  return manifest;
}

/** Copies what has to be read soon after the snapshot, or from it: keys, refs and rows. */
async function takeSnapshot(
  { config, target, passphrase, progress }: Backup,
  snapshot: DatabaseSnapshot,
  repositories: RepositoryBackup,
) {
  try {
    if (passphrase !== null) {
      const keys = await readKeys(config);
      await requireKeyOf(snapshot, keys);
      await target.addText(KEYS, await sealKeys(keys, passphrase));
    }
    const projects = await repositories.projects();
    await progress.progress('Copying refs', projects.length, (advance) =>
      repositories.copyRefs(projects, advance),
    );
    const { length } = snapshot.tables;
    const tables = await progress.progress('Copying the database', length, async (advance) => {
      const copied: TableManifest[] = [];
      for (const table of snapshot.tables) {
        const rows = await snapshot.copyTable(table, async (content) => {
          const compressed = createGzip();
          await Promise.all([
            pipeline(content, compressed),
            target.addStream(tablePath(table.name), compressed),
          ]);
        });
        copied.push({ ...table, rows });
        advance();
      }
      return copied;
    });
    const contents = {
      takenAt: snapshot.takenAt.toISOString(),
      migrations: await snapshot.migrations(),
      tables,
      sequences: await snapshot.sequences(),
    };
    return [projects, contents] as const;
  } finally {
    await snapshot.close();
  }
}

/** @throws BackupError, WrongKeyError unless the secrets in the snapshot can be read with the key; any key does without users */
async function requireKeyOf(snapshot: DatabaseSnapshot, { secretKey }: Keys): Promise<void> {
  const [user] = await snapshot.rows<{ sealed: string }>(
    `SELECT private_token_sealed AS sealed FROM users
      WHERE NOT ghost AND deleted_at IS NULL ORDER BY id LIMIT 1`,
  );
  if (user === undefined) return;
  if (secretKey === null) {
    throw new BackupError(
      'There is no SECRET_KEY, and no secret.key in DATA_DIR: back up with the settings of the service, or without a passphrase and so without keys.',
    );
  }
  if (!new Secrets(keyFromText(secretKey)).opens(user.sealed)) throw new WrongKeyError();
}
