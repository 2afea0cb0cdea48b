// A site of three machines, as `docs/scaling.md` describes it: GlusterFS and Redis with Sentinel on each, api and worker on
// the first two, PostgreSQL on the third with its standby on the second, and haproxy in front.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { built } from '../crash/own-database.mjs';
import { Service } from '../crash/service.mjs';
import { PostgresCluster } from '../faults/postgres-cluster.mjs';
import { RedisWithSentinels } from '../faults/replicated-redis.mjs';
import { brickOf, GLUSTER_FOLDERS, GlusterVolume, MOUNTED, OPTIONS } from './gluster-volume.mjs';
import { Machine, makeSwitch } from './network.mjs';
import { Proxy } from './proxy.mjs';

const NUMBERS = [1, 2, 3];
const API_PORT = 8080;
const DATA_DIR = `${MOUNTED}/data`;
const LEASE_SECONDS = '15';
const ENVIRONMENT = {
  DATA_DIR,
  PROCESS_LEASE_SECONDS: LEASE_SECONDS,
  UV_THREADPOOL_SIZE: '16',
  WEBHOOK_ALLOW_LOCAL: 'true',
  WEBHOOK_RETRY_SECONDS: '1,1,1,2,2,3,5,5,10,10',
};

export class Site {
  /**
   * Starts one below the scratch folder, in the script's own network.
   * @param options of the volume
   */
  static async start(scratch, options = OPTIONS) {
    const site = new Site();
    site.folder = scratch.folder;
    await makeSwitch();
    site.machines = NUMBERS.map((number) => {
      const folder = path.join(scratch.folder, `machine-${number}`);
      return new Machine({ number, folder, folders: GLUSTER_FOLDERS });
    });
    scratch.defer(() => site.#end());
    for (const machine of site.machines) await machine.turnOn();
    const [first, second, third] = site.machines;
    site.volume = new GlusterVolume(site.machines);
    await site.volume.create(options);
    site.cluster = await PostgresCluster.start(scratch, [third, second]);
    site.redis = await RedisWithSentinels.start(scratch, site.machines);
    site.services = [];
    for (const machine of [first, second]) site.services.push(await site.#startService(machine));
    site.proxy = new Proxy(site);
    scratch.defer(() => site.proxy.stop());
    await site.proxy.start();
    return site;
  }

  /** Of the haproxy. */
  get url() {
    return this.proxy.url;
  }

  /** What scripts read past the service, in one of the copies of the files. */
  reader(machine = this.machines[0]) {
    const { cluster } = this;
    const databaseUrl = () => Promise.resolve(cluster.database.url);
    return { dataDir: path.join(brickOf(machine), 'data'), databaseUrl };
  }

  serviceOn(machine) {
    return this.services.find((service) => service.machine === machine);
  }

  /** Ends the services in order. @returns what went wrong */
  async stop() {
    return (await Promise.all(this.services.map((service) => service.stop()))).flat();
  }

  async #startService(machine) {
    const { cluster, redis } = this;
    const folder = path.join(machine.folder, 'service');
    await mkdir(folder);
    const service = new Service({
      ...{ main: built('main.js'), folder, machine, port: API_PORT },
      ...{ redisUrl: redis.url, database: cluster.database },
      environment: {
        ...ENVIRONMENT,
        DATABASE_URL: cluster.url,
        // A disk of the machine's own, for comparison; what lies there is known to it alone.
        REPOSITORY_STORAGES: `near=${path.join(machine.folder, 'near')}`,
      },
    });
    await service.start();
    return service;
  }

  async #end() {
    for (const machine of this.machines) await machine.turnOff();
    for (const service of this.services ?? []) await service.destroy();
  }
}
