import type { Logger } from 'pino';
import type { Credentials } from '../modules/users/index.js';
import { setUsualWorkKind } from '../platform/async/index.js';
import { type Config, programVersion, requireDatabaseUrl } from '../platform/config/index.js';
import { EmbeddedPostgres } from '../platform/database/embedded/index.js';
import { createLogger } from '../platform/observability/index.js';
import { requireRestored } from './restore-marker.js';
import type { RunningService } from './serve.js';
import { Shutdown } from './shutdown.js';

export interface RunOptions {
  config: Config;
  packageRoot: string;
  /** Shows a person a text; the log goes its own way. */
  print: (text: string) => void;
}

interface Start extends RunOptions {
  logger: Logger;
  shutdown: Shutdown;
}

const ROLES = { all: runAll, api: runApi, worker: runWorker };

/** What a process of the service does: it serves, runs jobs, or both. */
export type Role = keyof typeof ROLES;

/** Resolves when the role runs. @throws whatever keeps it from starting */
export async function run(role: Role, options: RunOptions): Promise<void> {
  const logger = createLogger({ level: options.config.logLevel });
  const shutdown = new Shutdown(logger);
  try {
    await requireRestored(options.config.dataDir);
    const { announceFileSystems } = await import('./announce-file-systems.js');
    await announceFileSystems(options.config, logger);
    await trace(role, { ...options, logger, shutdown });
    await ROLES[role]({ ...options, logger, shutdown });
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** Begins to record traces if that is configured; they are sent to the end when everything else has stopped. */
async function trace(role: Role, { config, logger, shutdown }: Start): Promise<void> {
  if (config.tracing === undefined) return;
  const { startTracing } = await import('../platform/tracing/index.js');
  const warn = (error: unknown): void =>
    logger.warn({ err: error }, 'Traces could not be sent to the collector');
  const tracing = await startTracing({ ...config.tracing, role, version: programVersion(), warn });
  shutdown.add(() => tracing.stop());
}

async function runAll(start: Start): Promise<void> {
  const { config, logger, print, shutdown } = start;
  const databaseUrl = config.database.url ?? (await startEmbedded(start));
  const { logMigrations, migrate } = await loadModules();
  await shutdown.whileStarting(migrate(databaseUrl, logMigrations(logger)));
  const token = await serveHttp(start, databaseUrl, { runsJobs: true });
  print(welcome(config.http.externalUrl, token));
}

async function runApi(start: Start): Promise<void> {
  const { config, logger, print } = start;
  const databaseUrl = requireDatabaseUrl(config, 'api');
  const { requireMigrated } = await loadModules();
  await requireMigrated(databaseUrl);
  const token = await serveHttp(start, databaseUrl, { runsJobs: false });
  logger.info(`The API is served at ${config.http.externalUrl}`);
  if (token !== undefined) print(welcome(config.http.externalUrl, token));
}

/** Serves HTTP and SSH. @returns the token of the administrator, if this was the first start */
async function serveHttp(
  { config, logger, packageRoot, print, shutdown }: Start,
  databaseUrl: string,
  { runsJobs }: { runsJobs: boolean },
): Promise<string | undefined> {
  const { openGround, serveApi } = await loadModules();
  const ground = await openGround(config, databaseUrl, logger);
  let token: string | undefined;
  // At once, since it is shown once: what follows may fail.
  const announce = (credentials: Credentials): void => {
    token = credentials.token;
    print(administratorNotice(credentials));
  };
  await untilServed(serveApi(ground, { runsJobs, packageRoot }, announce), shutdown);
  return token;
}

async function runWorker({ config, logger, shutdown }: Start): Promise<void> {
  const databaseUrl = requireDatabaseUrl(config, 'worker');
  const { openGround, requireMigrated, serveJobs } = await loadModules();
  await requireMigrated(databaseUrl);
  setUsualWorkKind('background');
  await untilServed(serveJobs(await openGround(config, databaseUrl, logger)), shutdown);
  logger.info('The worker is running');
}

/** Resolves when a service has started, which is stopped when the process ends. */
async function untilServed(starting: Promise<RunningService>, shutdown: Shutdown): Promise<void> {
  await shutdown.whileStarting(starting, (service) => service.stop());
}

/** Loads what serves, which takes most of a start: not before it is clear that the process can start. */
async function loadModules() {
  return {
    ...(await import('./ground.js')),
    ...(await import('./migrate.js')),
    ...(await import('./pending-migrations.js')),
    ...(await import('./serve.js')),
  };
}

async function startEmbedded({ config, logger, shutdown }: Start): Promise<string> {
  const starting = EmbeddedPostgres.start({
    dataDir: config.dataDir,
    logger,
    onLost: () => shutdown.fail(),
  });
  const server = await shutdown.whileStarting(starting, (started) => started.stop());
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

/** Formats the address of the service, for browsers as well, and three commands to try it. */
function welcome(externalUrl: string, token: string | undefined): string {
  const header = `-H "PRIVATE-TOKEN: ${token ?? '$TOKEN'}"`;
  return [
    '',
    `Trellis serves at ${externalUrl}`,
    '',
    'In a browser, sign in with the user name and password:',
    `  ${externalUrl}`,
    '',
    'Try:',
    `  curl ${header} ${externalUrl}/api/v3/user`,
    `  curl ${header} -d name=first ${externalUrl}/api/v3/projects`,
    `  curl ${header} ${externalUrl}/api/v3/projects`,
    '',
  ].join('\n');
}
