import type { INestApplicationContext } from '@nestjs/common';
import type { Server } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { ProcessLease, type ProcessRole } from '../platform/cluster/index.js';
import { ProcessHeartbeat } from '../platform/monitoring/index.js';
import { metricsAccess } from '../platform/config/index.js';
import { Replicas } from '../platform/database/index.js';
import { QueueLifecycle } from '../platform/queue/index.js';
import { PushRecovery } from '../modules/repository/index.js';
import { SshServer } from '../modules/git-access/index.js';
import { type Credentials, FirstAdministrator } from '../modules/users/index.js';
import { createApplication, createContext, type ApplicationOptions } from './application.js';
import type { Ground } from './ground.js';
import { MetricsReport } from './metrics-report.js';
import { serveMetrics } from './metrics-server.js';

/** What requests and jobs in flight get to finish (docs/operations.md#signals). */
const DRAIN_MS = 30_000;

/** A running process: how to end it. */
export interface RunningService {
  stop: () => Promise<void>;
}

/** Serves HTTP and SSH, and runs jobs too when the options say so. */
export async function serveApi(
  ground: Ground,
  options: ApplicationOptions,
  announce: (credentials: Credentials) => void,
): Promise<RunningService> {
  const { app, drain } = await createApplication(ground, options);
  const { config, git, logger } = ground;
  const ssh = app.get(SshServer);
  const stop = async (): Promise<void> => {
    // Requests and jobs finish side by side, each within the same limit.
    await Promise.all([
      drain.drain(DRAIN_MS),
      ssh.drain(DRAIN_MS),
      options.runsJobs && app.get(QueueLifecycle).drain(DRAIN_MS),
    ]);
    await app.get(ProcessHeartbeat).stop();
    await app.close();
    await git.close();
  };
  return started(stop, async () => {
    await register(app, ground, options.runsJobs ? 'all' : 'api');
    await app.get(Replicas).check();
    await app.get(FirstAdministrator).ensure(config.root, announce);
    await app.get(PushRecovery).recoverAll();
    await collectGarbage();
    // First, since answers over HTTP name its port.
    await ssh.listen(logger);
    await app.listen(config.http.port, config.http.host);
    const server: Server = app.getHttpServer();
    config.bindHttpPort((server.address() as AddressInfo).port);
  });
}

/** Relays and runs jobs; without a port, unless one is configured for figures. */
export async function serveJobs(ground: Ground): Promise<RunningService> {
  const { config, logger } = ground;
  const access = metricsAccess(config);
  const app = await createContext(ground, { runsJobs: true });
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  const stop = async (): Promise<void> => {
    await app.get(QueueLifecycle).drain(DRAIN_MS);
    await app.get(ProcessHeartbeat).stop();
    await app.close();
    await metrics?.close();
    await ground.git.close();
  };
  return started(stop, async () => {
    await register(app, ground, 'worker');
    await app.get(PushRecovery).recoverAll();
    await collectGarbage();
    const options = access && { ...access, host: config.http.host, logger };
    metrics = options && (await serveMetrics(app.get(MetricsReport), options));
    if (metrics !== undefined) logger.info({ port: metrics.port }, 'Figures are served');
  });
}

/** Starts what a process serves. If that fails, as on a port that is taken, everything is closed again in order. */
async function started(
  stop: RunningService['stop'],
  start: () => Promise<void>,
): Promise<RunningService> {
  try {
    await start();
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Acquires the lease of the process. Without it, jobs that are running already go to other workers. */
async function register(
  app: INestApplicationContext,
  ground: Ground,
  role: ProcessRole,
): Promise<void> {
  const lease = app.get(ProcessLease);
  ground.locks.follow(lease);
  if (role !== 'api') lease.whenLost(() => app.get(QueueLifecycle).leaveJobs());
  await app.get(ProcessHeartbeat).start(role);
}

/**
 * Returns what loading modules has left: a quarter of the process's memory. V8 itself does so only when the process has
 * rested for half a minute (docs/decisions/0045-start-and-memory.md).
 */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
