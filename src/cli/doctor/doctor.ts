import { describeUnattended, findUnattendedJobs } from '../../platform/cluster/index.js';
import { type Config, unknownVariables } from '../../platform/config/index.js';
import { findDatabase, probeDatabase, withReads } from '../probes/database.js';
import { probeDisk } from '../../platform/monitoring/index.js';
import { isRestoreIncomplete } from '../../bootstrap/restore-marker.js';
import { probeReplicas } from '../probes/replicas.js';
import { probeRedis } from '../probes/redis.js';
import { reasonOf } from '../probes/time-limit.js';
import { withModules } from '../open.js';
import { type Check, ok, problem, warning } from './check.js';
import { checkContents } from './content-checks.js';
import { checkDatabase, checkReplicas } from './database-checks.js';
import { checkFolders, type FolderSurroundings } from './folder-checks.js';
import { checkPrograms } from './git-checks.js';
import { checkHostKeys, checkSecretKey } from './key-checks.js';
import { checkMounts } from './mount-checks.js';
import { checkNetwork } from './network-checks.js';
import { checkRedis } from './redis-checks.js';

/** What checks depend on besides the settings; tests replace it. */
export interface DoctorSurroundings extends FolderSurroundings {
  readonly now: () => Date;
}

const THIS_MACHINE: DoctorSurroundings = {
  uid: process.getuid?.(),
  probeDisk,
  now: () => new Date(),
};

/** Carries out all checks at the same time. */
export async function examine(config: Config, surroundings = THIS_MACHINE): Promise<Check[]> {
  const checks = await Promise.all([
    checkPrograms(config),
    checkFolders(config, surroundings),
    checkMounts(config),
    checkStores(config, surroundings),
    checkRedisServer(config, surroundings),
    checkHostKeys(config),
    checkNetwork(config, surroundings.uid),
    checkRestore(config),
  ]);
  const found = [...checkSettings(), ...checks.flat()];
  return [...found, ...(await checkStored(config, found))];
}

/** What has to be right before repositories and uploads can be looked at. */
const NEEDED = /^(?:restore|git|hook-program|data-dir|storage .*|database|migrations|secret-key)$/;

/** Checks what is stored, unless the other checks have found why it cannot be read. */
async function checkStored(config: Config, found: readonly Check[]): Promise<Check[]> {
  const databaseUrl = await findDatabase(config);
  const isReadable = found.every(({ name, state }) => state !== 'problem' || !NEEDED.test(name));
  if (databaseUrl === undefined || !isReadable) {
    const detail = 'not checked: the service cannot read what is stored';
    return [warning('repositories', detail, 'solve the other problems first')];
  }
  return withModules({ config, databaseUrl }, (app) => checkContents(app));
}

/** Checks the database, and what the key of the instance opens there. */
async function checkStores(config: Config, { now }: DoctorSurroundings): Promise<Check[]> {
  const url = await findDatabase(config);
  if (url === undefined) {
    const detail = 'the embedded server is not running, so what is stored was not checked';
    return [warning('database', detail, 'start the service, then run this command again')];
  }
  try {
    const report = await probeDatabase(url);
    const checks = [
      ...checkDatabase(config, report, now()),
      ...checkReplicas(await probeReplicas(config, url)),
    ];
    if (report.pendingMigrations.length > 0) return checks;
    return [...checks, await checkJobs(url), await checkSecretKey(config, url)];
  } catch (error) {
    const advice = 'start PostgreSQL, or correct DATABASE_URL';
    return [problem('database', reasonOf(error), advice)];
  }
}

/** Checks that some process runs the jobs. */
async function checkJobs(databaseUrl: string): Promise<Check> {
  const name = 'jobs';
  const unattended = await withReads(databaseUrl, findUnattendedJobs);
  if (unattended === null) return ok(name, 'some process runs them, or none is due');
  const advice = 'run `trellis start worker`, or `trellis start` for all in one process';
  return problem(name, describeUnattended(unattended), advice);
}

function checkSettings(): Check[] {
  const advice = 'correct or remove the line: it is no variable of Trellis';
  return unknownVariables().map((name) => warning('settings', `.env sets ${name}`, advice));
}

/** Checks that `DATA_DIR` is not what an interrupted restore has left. */
async function checkRestore({ dataDir }: Config): Promise<Check[]> {
  if (!(await isRestoreIncomplete(dataDir))) return [];
  const advice = 'repeat `trellis restore` with --force';
  return [problem('restore', `a restore into ${dataDir} was interrupted`, advice)];
}

async function checkRedisServer(
  { redisUrl }: Config,
  { now }: DoctorSurroundings,
): Promise<Check[]> {
  if (redisUrl === undefined) return [ok('redis', 'not used: the queues are in PostgreSQL')];
  try {
    return checkRedis(await probeRedis(redisUrl), now());
  } catch (error) {
    const advice = 'start Redis, or correct REDIS_URL: jobs wait until it answers';
    return [problem('redis', reasonOf(error), advice)];
  }
}
