import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterPlace } from '../cluster.js';
import { clearOrphan } from './orphan.js';
import { Postmaster, PostmasterEndedError } from './postmaster.js';
import type { Logger, ServerLog } from './server-log.js';
import { serverOptions } from '../settings.js';

const PORT_TAKEN = /could not bind|Address already in use/;
const PREDECESSOR_ALIVE =
  /pre-existing shared memory block|lock file "postmaster.pid" already exists/;
const PATIENCE_MS = 15_000;
const PAUSE_MS = 250;

export interface Launched {
  readonly postmaster: Postmaster;
  readonly port: number;
}

/** Where the server writes and where it is talked about. */
export interface Reporting {
  readonly log: ServerLog;
  readonly logger: Logger;
}

/** A port on the loopback interface nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts the server on a free port, or on a given one, trying again for some seconds while
 * something that will pass is in the way: a port taken in between, processes of a killed server.
 * @throws PostmasterEndedError
 */
export async function launch(
  { cluster, binaries, launcher, durability }: ClusterPlace,
  { log, logger }: Reporting,
  fixedPort?: number,
): Promise<Launched> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const port = fixedPort ?? (await freePort());
    const command = launcher.command(binaries.postgres, serverOptions(cluster, port, durability));
    try {
      return { postmaster: await Postmaster.launch(command, cluster, log, logger), port };
    } catch (error) {
      if (!(error instanceof PostmasterEndedError) || Date.now() > deadline) throw error;
      if (PREDECESSOR_ALIVE.test(error.log)) await clearOrphan(cluster, logger);
      else if (!PORT_TAKEN.test(error.log)) throw error;
      await delay(PAUSE_MS);
    }
  }
}
