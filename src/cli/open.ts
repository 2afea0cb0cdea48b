import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Config, loadConfig, packageRoot, readEnvironment } from '../platform/config/index.js';
import { EmbeddedPostgres, EmbeddedPostgresError } from '../platform/database/embedded/index.js';
import { PooledStatements, type Statements } from '../platform/database/connections/index.js';
import type { Ground } from '../bootstrap/ground.js';
import { requireRestored } from '../bootstrap/restore-marker.js';
import { CommandError } from './errors.js';
import { openConnection } from './probes/connection.js';
import { isFolder } from './probes/folder.js';
import { reasonOf } from './probes/time-limit.js';

export const PACKAGE_ROOT = packageRoot();

/**
 * @param settings of the command line, in place of those of the environment
 * @throws ConfigError naming every variable that has an unusable value
 */
export const readConfig = (settings: Record<string, string> = {}): Config =>
  loadConfig({ ...readEnvironment(), ...settings });

/** The log of a command: warnings and errors, on standard error, since standard output has the result. */
export async function createCommandLogger(): Promise<Logger> {
  const { destination } = await import('pino');
  const { createLogger } = await import('../platform/observability/index.js');
  return createLogger({
    level: 'warn',
    readable: process.stderr.isTTY,
    destination: destination({ fd: 2, sync: true }),
  });
}

/** What a command works on. */
export interface OpenedDatabase {
  readonly config: Config;
  readonly databaseUrl: string;
}

/**
 * Opens the configured database, or the embedded one: that of the running service if there is one, otherwise it is started
 * for as long as `work` takes.
 * @param options.creates whether an embedded database may be made; otherwise its absence is an error
 * @throws CommandError when the database does not answer, and for another account than the service's
 */
export async function withDatabase<T>(
  work: (opened: OpenedDatabase) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const config = readConfig();
  await requireOwnAccount(config);
  await requireRestored(config.dataDir);
  const databaseUrl = config.database.url ?? (await runningUrl(config));
  if (databaseUrl !== undefined) {
    await requireAnswer(databaseUrl);
    return work({ config, databaseUrl });
  }
  if (!creates && !(await isFolder(path.join(config.dataDir, 'postgres')))) {
    throw new CommandError(
      `There is no service in ${config.dataDir}: set DATA_DIR to the folder of one, or DATABASE_URL to its database.`,
    );
  }
  const server = await EmbeddedPostgres.start({
    dataDir: config.dataDir,
    logger: await createCommandLogger(),
  });
  try {
    return await work({ config, databaseUrl: server.url });
  } finally {
    await server.stop();
  }
}

/** @throws CommandError when the server does not answer: the connections of the service would be waited for without a limit */
export async function requireAnswer(databaseUrl: string): Promise<void> {
  try {
    const connection = await openConnection(databaseUrl);
    await connection.end();
  } catch (error) {
    throw new CommandError(`The database cannot be reached: ${reasonOf(error)}`);
  }
}

/**
 * Opens the database of a service for a command that only asks it, without git, the key of the instance and the modules of the
 * service, whose loading takes longer than the answer.
 * @throws CommandError, PendingMigrationsError
 */
export async function withStatements<T>(
  work: (statements: Statements, config: Config) => Promise<T>,
): Promise<T> {
  return withDatabase(async ({ config, databaseUrl }) => {
    const { requireMigrated } = await import('../bootstrap/pending-migrations.js');
    await requireMigrated(databaseUrl);
    const statements = new PooledStatements(databaseUrl, config.database.statementTimeoutMs);
    try {
      return await work(statements, config);
    } finally {
      await statements.close();
    }
  });
}

/**
 * Opens the service's modules without serving anything or running jobs; jobs that are added wait for a worker.
 * @throws CommandError for another account than the service's
 * @throws WrongKeyError
 */
export async function withApplication<T>(
  work: (app: INestApplicationContext, ground: Ground) => Promise<T>,
): Promise<T> {
  return withDatabase(async (opened) => {
    const { requireMigrated } = await import('../bootstrap/pending-migrations.js');
    await requireMigrated(opened.databaseUrl);
    return withModules(opened, work);
  });
}

/**
 * As `withApplication`, on a database that is open and up to date.
 * @throws CommandError for another account than the service's
 * @throws WrongKeyError
 */
export async function withModules<T>(
  { config, databaseUrl }: OpenedDatabase,
  work: (app: INestApplicationContext, ground: Ground) => Promise<T>,
): Promise<T> {
  await requireOwnAccount(config);
  const { createContext } = await import('../bootstrap/application.js');
  const { openGround } = await import('../bootstrap/ground.js');
  const { AuditLog } = await import('../modules/audit/index.js');
  const ground = await openGround(config, databaseUrl, await createCommandLogger());
  try {
    const app = await createContext(ground, { runsJobs: false });
    try {
      app.get(AuditLog).actAsCommandLine();
      return await work(app, ground);
    } finally {
      await app.close();
    }
  } finally {
    await ground.git.close();
  }
}

/**
 * Files that another account creates in `DATA_DIR` are closed to the service; without its hook, git accepts every push.
 * @throws CommandError for another account than the service's
 */
export async function requireOwnAccount({ dataDir }: Config): Promise<void> {
  const found = await stat(dataDir).catch(() => undefined);
  if (found === undefined || process.getuid === undefined || found.uid === process.getuid()) return;
  throw new CommandError(
    `${dataDir} belongs to account ${found.uid}: run this command as that account, as the service runs.`,
  );
}

/** @returns the address of the embedded database if its server runs */
export async function runningUrl({ dataDir }: Config): Promise<string | undefined> {
  try {
    return await EmbeddedPostgres.runningUrl(dataDir);
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) return undefined;
    throw error;
  }
}
