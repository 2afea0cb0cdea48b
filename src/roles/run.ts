import type { Logger } from 'pino';
import type { Credentials } from '../modules/users/index.js';
import { type Config, ConfigError, requireDatabaseUrl } from '../platform/config/index.js';
import { EmbeddedPostgres } from '../platform/database/embedded/index.js';
import { createLogger } from '../platform/observability/index.js';
import { parseReplay, replay } from './replay.js';
import { Shutdown } from './shutdown.js';

export interface RunOptions {
  config: Config;
  /** What follows the role on the command line. */
  args: readonly string[];
  packageRoot: string;
  /** Shows a person a text; the log goes its own way. */
  print: (text: string) => void;
}

/** The database is older than the code. */
export class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';

  constructor() {
    super('The database is older than this program: run `npm run migrate` first.');
  }
}

interface Start extends RunOptions {
  logger: Logger;
  shutdown: Shutdown;
}

/** The roles of a process, by their name on the command line. */
const ROLES: Record<string, (start: Start) => Promise<void>> = {
  all: runAll,
  api: runApi,
  worker: runWorker,
  migrate: runMigrate,
  replay: runReplay,
};

/** @throws ConfigError for a role that does not exist, and whatever keeps the role from starting */
export async function run(role: string, options: RunOptions): Promise<void> {
  const runRole = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (runRole === undefined) {
    throw new ConfigError([`No role ${role}: choose one of ${Object.keys(ROLES).join(', ')}`]);
  }
  const logger = createLogger({ level: options.config.logLevel });
  const shutdown = new Shutdown(logger);
  try {
    await runRole({ ...options, logger, shutdown });
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function runAll(start: Start): Promise<void> {
  const { config, logger, packageRoot, print, shutdown } = start;
  const databaseUrl = config.database.url ?? (await startEmbedded(start));
  const { migrate, openGround, serveApi } = await loadModules();
  await migrate(databaseUrl);
  const ground = await openGround(config, databaseUrl, logger);
  let token: string | undefined;
  const announce = (credentials: Credentials): void => {
    token = credentials.token;
    print(administratorNotice(credentials));
  };
  const service = await serveApi(ground, { runsJobs: true, packageRoot }, announce);
  shutdown.add(service.stop);
  print(welcome(config.http.externalUrl, token));
}

async function runApi({ config, logger, packageRoot, print, shutdown }: Start): Promise<void> {
  const databaseUrl = requireDatabaseUrl(config, 'api');
  const { isMigrated, openGround, serveApi } = await loadModules();
  if (!(await isMigrated(databaseUrl))) throw new PendingMigrationsError();
  const ground = await openGround(config, databaseUrl, logger);
  const announce = (credentials: Credentials): void => print(administratorNotice(credentials));
  const service = await serveApi(ground, { runsJobs: false, packageRoot }, announce);
  shutdown.add(service.stop);
  logger.info(`The API is served at ${config.http.externalUrl}`);
}

async function runWorker({ config, logger, shutdown }: Start): Promise<void> {
  const databaseUrl = requireDatabaseUrl(config, 'worker');
  const { isMigrated, openGround, serveJobs } = await loadModules();
  if (!(await isMigrated(databaseUrl))) throw new PendingMigrationsError();
  const service = await serveJobs(await openGround(config, databaseUrl, logger));
  shutdown.add(service.stop);
  logger.info('The worker is running');
}

async function runMigrate(start: Start): Promise<void> {
  const { migrate } = await import('./migrate.js');
  await migrate(start.config.database.url ?? (await startEmbedded(start)));
  await start.shutdown.run();
  start.print('The database is up to date.');
}

async function runReplay({ config, args, logger, print, shutdown }: Start): Promise<void> {
  const range = parseReplay(args, new Date());
  const { isMigrated, openGround } = await loadModules();
  const databaseUrl = config.database.url ?? (await EmbeddedPostgres.runningUrl(config.dataDir));
  if (!(await isMigrated(databaseUrl))) throw new PendingMigrationsError();
  const count = await replay(await openGround(config, databaseUrl, logger), range);
  await shutdown.run();
  print(`${String(count)} deliveries are on their way once more.`);
}

/** Loads what serves, which takes most of a start: not before it is clear that the process can start. */
async function loadModules() {
  return {
    ...(await import('./ground.js')),
    ...(await import('./migrate.js')),
    ...(await import('./serve.js')),
  };
}

async function startEmbedded({ config, logger, shutdown }: Start): Promise<string> {
  const server = await EmbeddedPostgres.start({
    dataDir: config.dataDir,
    logger,
    onLost: () => shutdown.fail(),
  });
  shutdown.add(() => server.stop());
  return server.url;
}

/** Formats the credentials of a new instance's administrator, which are shown once. */
function administratorNotice({ username, password, token }: Credentials): string {
  return [
    '',
    'The administrator of this new instance (shown once, keep it):',
    `  user name  ${username}`,
    `  password   ${password}`,
    `  token      ${token}`,
    '',
  ].join('\n');
}

/** Formats the address of the service and three commands to try it. */
function welcome(externalUrl: string, token: string | undefined): string {
  const header = `-H "PRIVATE-TOKEN: ${token ?? '$TOKEN'}"`;
  return [
    '',
    `Trellis serves at ${externalUrl}`,
    '',
    'Try:',
    `  curl ${header} ${externalUrl}/api/v3/user`,
    `  curl ${header} -d name=first ${externalUrl}/api/v3/projects`,
    `  curl ${header} ${externalUrl}/api/v3/projects`,
    '',
  ].join('\n');
}
